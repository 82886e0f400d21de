// Numbers as people read them.

/** Some significant digits, without needless zeros; a power of ten only where it is shorter. */
export function number(value: number, digits = 5): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? '–' : value > 0 ? '∞' : '−∞';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) {
    const [mantissa, exponent] = value.toExponential(Math.max(digits - 3, 1)).split('e');
    return minus(`${trim(mantissa)}e${exponent.replace('+', '')}`);
  }
  // toPrecision writes numbers of more digits than asked for as powers of ten.
  return minus(trim(size >= 10 ** digits ? value.toFixed(0) : value.toPrecision(digits)));
}

function trim(text: string): string {
  return text.includes('.') && !text.includes('e') ? text.replace(/\.?0+$/, '') : text;
}

function minus(text: string): string {
  return text.replaceAll('-', '−');
}

/** One digit behind the first: for residuals and errors. */
export function rough(value: number): string {
  if (value === 0) return '0';
  if (!Number.isFinite(value)) return number(value);
  const size = Math.abs(value);
  if (size >= 0.01 && size < 1e4) return number(value, 3);
  return minus(value.toExponential(1).replace('.0e', 'e').replace('e+', 'e'));
}

/** The digits behind the point that a time slider of this span needs. */
export function timeDigits(span: number): number {
  return span > 0 ? Math.min(Math.max(3 - Math.floor(Math.log10(span)), 0), 9) : 3;
}

/** A whole number with thin spaces between thousands. */
export function count(value: number): string {
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

/** "tyre_front_left" -> "tyre front left": names are easier to read without underscores. */
export function words(name: string): string {
  return name.replaceAll('_', ' ');
}
