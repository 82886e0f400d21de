// How strongly each frequency is contained in a column.

import { between } from './timeline';

/** Most points of a spectrum: enough for a plot, a power of two. */
const mostPoints = 1 << 15;

/** Discrete Fourier transform in place, Cooley and Tukey 1965; the length is a power of two. */
function transform(re: Float64Array, im: Float64Array): void {
  const n = re.length;
  for (let i = 1, j = 0; i < n; ++i) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      [re[i], re[j]] = [re[j], re[i]];
      [im[i], im[j]] = [im[j], im[i]];
    }
  }
  for (let length = 2; length <= n; length <<= 1) {
    const angle = (-2 * Math.PI) / length;
    for (let k = 0; k < length / 2; ++k) {
      const c = Math.cos(angle * k);
      const s = Math.sin(angle * k);
      for (let i = k; i < n; i += length) {
        const j = i + length / 2;
        const x = re[j] * c - im[j] * s;
        const y = re[j] * s + im[j] * c;
        re[j] = re[i] - x;
        im[j] = im[i] - y;
        re[i] += x;
        im[i] += y;
      }
    }
  }
}

export interface Spectrum {
  /** [Hz] */
  frequencies: Float64Array;
  /** Amplitude of the sine of each frequency, in the unit of the column. */
  amplitudes: Float64Array;
}

/**
 * Amplitudes over frequencies: the mean is taken out, the column is sampled evenly and weighed by Hann's window,
 * so that a sine of amplitude a that is no multiple of the lowest frequency still shows at 0.85 a to a.
 */
export function spectrum(times: ArrayLike<number>, values: ArrayLike<number>): Spectrum {
  const n = times.length;
  const span = n > 1 ? times[n - 1] - times[0] : 0;
  if (n < 8 || !(span > 0)) return { frequencies: new Float64Array(0), amplitudes: new Float64Array(0) };
  let size = 8;
  while (size < n && size < mostPoints) size <<= 1;
  const re = new Float64Array(size);
  const im = new Float64Array(size);
  let mean = 0;
  for (let i = 0; i < size; ++i) {
    const { frame, fraction } = between(times, times[0] + (span * i) / size);
    re[i] = (1 - fraction) * values[frame] + fraction * values[frame + 1];
    mean += re[i] / size;
  }
  for (let i = 0; i < size; ++i) re[i] = (re[i] - mean) * (1 - Math.cos((2 * Math.PI * i) / size));
  transform(re, im);
  const half = Math.min(size / 2, Math.floor((n - 1) / 2)); // above it samples were made up
  const frequencies = Float64Array.from({ length: half }, (_, k) => (k + 1) / span);
  const amplitudes = frequencies.map((_, k) => (2 / size) * Math.hypot(re[k + 1], im[k + 1]));
  return { frequencies, amplitudes };
}
