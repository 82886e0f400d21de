// Formulas over the columns of a report: "chassis.z - 0.5*(wheel_1.z + wheel_2.z)", "d(rod.angle)", "abs(x)".

import type { Quantity, Report } from './report';

/** A column computed from others. */
export interface Column {
  values: Float64Array;
  unit: string;
}

/** What is wrong with a formula, and where in its text. */
export class FormulaFault extends Error {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}

type Pointwise = (...values: number[]) => number;

/** Functions of values at one time; the unit of their result is that of their first argument, or none. */
const pointwise: Record<string, { of: Pointwise; arguments: number; keepsUnit: boolean }> = {
  abs: { of: Math.abs, arguments: 1, keepsUnit: true },
  min: { of: Math.min, arguments: 2, keepsUnit: true },
  max: { of: Math.max, arguments: 2, keepsUnit: true },
  hypot: { of: Math.hypot, arguments: 2, keepsUnit: true },
  sqrt: { of: Math.sqrt, arguments: 1, keepsUnit: false },
  sin: { of: Math.sin, arguments: 1, keepsUnit: false },
  cos: { of: Math.cos, arguments: 1, keepsUnit: false },
  tan: { of: Math.tan, arguments: 1, keepsUnit: false },
  atan2: { of: Math.atan2, arguments: 2, keepsUnit: false },
  exp: { of: Math.exp, arguments: 1, keepsUnit: false },
  log: { of: Math.log, arguments: 1, keepsUnit: false },
};

/** The derivative over time, by parabolas through three samples. */
export function derivative(times: ArrayLike<number>, values: ArrayLike<number>): Float64Array {
  const n = times.length;
  const out = new Float64Array(n);
  if (n < 2) return out;
  const slope = (i: number): number => (values[i + 1] - values[i]) / (times[i + 1] - times[i]);
  if (n === 2) return out.fill(slope(0));
  for (let i = 1; i < n - 1; ++i) {
    const before = times[i] - times[i - 1];
    const after = times[i + 1] - times[i];
    out[i] = (slope(i - 1) * after + slope(i) * before) / (before + after);
  }
  out[0] = 2 * slope(0) - out[1];
  out[n - 1] = 2 * slope(n - 2) - out[n - 2];
  // Two rows at the time of an event have no slope between them: that of the row beside is taken.
  for (let i = 0; i < n; ++i) if (!Number.isFinite(out[i])) out[i] = i > 0 ? out[i - 1] : slope(1);
  return out;
}

/** The integral over time from the first sample on, by trapezoids. */
export function integral(times: ArrayLike<number>, values: ArrayLike<number>): Float64Array {
  const out = new Float64Array(times.length);
  for (let i = 1; i < out.length; ++i)
    out[i] = out[i - 1] + 0.5 * (values[i] + values[i - 1]) * (times[i] - times[i - 1]);
  return out;
}

const overTime: Record<string, typeof derivative> = { d: derivative, integral };

class Parser {
  private at = 0;
  private readonly names: Map<string, Quantity>;

  constructor(
    private readonly text: string,
    private readonly report: Report,
  ) {
    this.names = new Map((report.header.quantities ?? []).map((q) => [q.name, q]));
  }

  all(): Column {
    const value = this.sum();
    this.skip();
    if (this.at < this.text.length) this.fail(`"${this.text[this.at]}" is not expected here`);
    return value;
  }

  private fail(message: string): never {
    throw new FormulaFault(message, this.at);
  }

  private skip(): void {
    while (this.text[this.at] === ' ') ++this.at;
  }

  private take(token: string): boolean {
    this.skip();
    if (!this.text.startsWith(token, this.at)) return false;
    this.at += token.length;
    return true;
  }

  private sum(): Column {
    let value = this.product();
    for (;;) {
      if (this.take('+')) value = this.combine(value, this.product(), (a, b) => a + b, 'same');
      else if (this.take('-')) value = this.combine(value, this.product(), (a, b) => a - b, 'same');
      else return value;
    }
  }

  private product(): Column {
    let value = this.sign();
    for (;;) {
      if (this.take('*')) value = this.combine(value, this.sign(), (a, b) => a * b, 'times');
      else if (this.take('/')) value = this.combine(value, this.sign(), (a, b) => a / b, 'over');
      else return value;
    }
  }

  private sign(): Column {
    if (this.take('-')) return this.mapped(this.sign(), (a) => -a, true);
    return this.power();
  }

  private power(): Column {
    const base = this.atom();
    return this.take('^') ? this.combine(base, this.sign(), (a, b) => a ** b, 'none') : base;
  }

  private atom(): Column {
    if (this.take('(')) {
      const value = this.sum();
      if (!this.take(')')) this.fail('a ")" is missing');
      return value;
    }
    this.skip();
    const rest = this.text.slice(this.at);
    const digits = /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?/i.exec(rest)?.[0];
    if (digits) {
      this.at += digits.length;
      return { values: new Float64Array(this.report.times.length).fill(Number(digits)), unit: '' };
    }
    const name = this.name(rest);
    if (name === null) this.fail(rest ? `"${rest.split(/[\s()*/+^,-]/)[0] || rest[0]}" is no quantity of this report` : 'something is missing at the end');
    return name;
  }

  /** A function, the time, or a quantity: the longest name that fits, since names may hold brackets. */
  private name(rest: string): Column | null {
    const call = /^([a-z_]\w*)\s*\(/i.exec(rest);
    if (call && (pointwise[call[1]] || overTime[call[1]])) {
      this.at += call[0].length;
      return this.call(call[1]);
    }
    let found: Quantity | null = null;
    for (const [name, quantity] of this.names)
      if (rest.startsWith(name) && name.length > (found?.name.length ?? 0) && !/^[\w.[]/.test(rest.slice(name.length))) found = quantity;
    if (found) {
      this.at += found.name.length;
      const values = this.report.series(found) ?? new Float32Array(0);
      return { values: Float64Array.from(values), unit: found.unit ?? '' };
    }
    if (/^t(?![\w.[])/.test(rest)) {
      ++this.at;
      return { values: Float64Array.from(this.report.times), unit: 's' };
    }
    if (/^pi(?![\w.[])/.test(rest)) {
      this.at += 2;
      return { values: new Float64Array(this.report.times.length).fill(Math.PI), unit: '' };
    }
    return null;
  }

  private call(name: string): Column {
    const values = [this.sum()];
    while (this.take(',')) values.push(this.sum());
    if (!this.take(')')) this.fail('a ")" is missing');
    const wanted = pointwise[name]?.arguments ?? 1;
    if (values.length !== wanted) this.fail(`${name}() takes ${wanted === 1 ? 'one value' : `${wanted} values`}`);
    const over = overTime[name];
    if (over) {
      const { unit } = values[0];
      const factor = name === 'd' ? '/s' : ' s';
      return { values: over(this.report.times, values[0].values), unit: unit ? unit + factor : name === 'd' ? '1/s' : 's' };
    }
    const { of, keepsUnit } = pointwise[name];
    const out = values[0].values.map((_, i) => of(...values.map((v) => v.values[i])));
    return { values: out, unit: keepsUnit ? values[0].unit : '' };
  }

  private mapped(value: Column, of: (a: number) => number, keepsUnit: boolean): Column {
    return { values: value.values.map((a) => of(a)), unit: keepsUnit ? value.unit : '' };
  }

  private combine(a: Column, b: Column, of: (a: number, b: number) => number, units: 'same' | 'times' | 'over' | 'none'): Column {
    if (units === 'same' && a.unit && b.unit && a.unit !== b.unit)
      this.fail(`${a.unit} and ${b.unit} cannot be added`);
    const unit = {
      same: a.unit || b.unit,
      times: [a.unit, b.unit].filter(Boolean).join(' '),
      over: b.unit ? (a.unit === b.unit ? '' : `${a.unit || '1'}/(${b.unit})`) : a.unit,
      none: '',
    }[units];
    return { values: a.values.map((value, i) => of(value, b.values[i])), unit };
  }
}

/** The column that a formula describes; throws a FormulaFault where it is none. */
export function evaluate(text: string, report: Report): Column {
  return new Parser(text, report).all();
}

/** Whether a text in the field of quantities is meant as a formula, not as part of a name. */
export function looksLikeFormula(text: string): boolean {
  return /[-+*/^(]/.test(text.trim().slice(1));
}
