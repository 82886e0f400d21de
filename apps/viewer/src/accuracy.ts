// The accuracy that a certified run has measured (docs/look-up/report-format.md).

import type { Report } from './report';
import { between } from './timeline';

export interface Accuracy {
  asked: number;
  verdict: string;
  position: number;
  velocity: number;
  /** Errors of components by name, and the worst of all, at the times; null where not finite. */
  bands: {
    times: number[];
    position: (number | null)[];
    velocity: (number | null)[];
    errors: Record<string, (number | null)[]>;
  };
}

export function accuracyOf(report: Report): Accuracy | null {
  const found = report.header.certificate?.accuracy as Accuracy | undefined;
  return found && found.bands.times.length > 1 ? found : null;
}

/** The measured error of a quantity at the times of the report; it does not shrink again. */
export function errorBand(report: Report, name: string): Float64Array | undefined {
  const bands = accuracyOf(report)?.bands;
  const errors = bands?.errors[name];
  if (!bands || !errors) return undefined;
  let worst = 0;
  const grown = errors.map((error) => (worst = Math.max(worst, error ?? Infinity)));
  const last = bands.times.length - 1;
  return Float64Array.from(report.times, (t) => {
    if (t <= bands.times[0]) return grown[0];
    if (t >= bands.times[last]) return grown[last];
    const { frame, fraction } = between(bands.times, t);
    return (1 - fraction) * grown[frame] + fraction * grown[frame + 1];
  });
}
