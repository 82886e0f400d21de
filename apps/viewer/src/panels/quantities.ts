// Which quantities a report has, in which order they are offered, and which of them are worth a first look.

import type { Quantity, Report } from '../report';

/** Says of each quantity whether it changes at all; looks at a column once. */
export class Variation {
  private readonly known = new Map<string, boolean>();

  constructor(private readonly report: Report) {}

  varies(quantity: Quantity): boolean {
    const known = this.known.get(quantity.name);
    if (known !== undefined) return known;
    const values = this.report.series(quantity) ?? new Float32Array(0);
    let low = Infinity;
    let high = -Infinity;
    for (const v of values) {
      low = Math.min(low, v);
      high = Math.max(high, v);
    }
    // Columns are stored in single precision: what moves by less than its rounding stands still.
    const varies = high - low > 1e-6 * Math.max(Math.abs(low), Math.abs(high));
    this.known.set(quantity.name, varies);
    return varies;
  }
}

/** Coordinates of the equations, which people seldom ask for by name. */
const internal = /\.(q[wxyz]|state|lambda(\[\d+\])?|mu(\[\d+\])?)$/;

/** How well a quantity fits the words typed: smaller is better, null for not at all. */
function misfit(name: string, words: string[]): number | null {
  const lower = name.toLowerCase();
  let sum = 0;
  for (const word of words) {
    const at = lower.indexOf(word);
    if (at < 0) return null;
    const startsSegment = at === 0 || /[.\[_ ]/.test(lower[at - 1]);
    const endsSegment = at + word.length === lower.length || /[.\[\]_ ]/.test(lower[at + word.length]);
    if (lower === word) sum += 0;
    else if (startsSegment && endsSegment) sum += 1;
    else if (startsSegment) sum += 2;
    else sum += 4;
  }
  return sum;
}

/** The quantities that hold all words, the likeliest first; without words all, as the report lists them. */
export function find(quantities: Quantity[], text: string, variation: Variation): Quantity[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return quantities;
  return quantities
    .map((quantity, order) => ({ quantity, order, fit: misfit(quantity.name, words) }))
    .filter((m): m is typeof m & { fit: number } => m.fit !== null)
    .map((m) => ({ ...m, later: (internal.test(m.quantity.name) ? 2 : 0) + (variation.varies(m.quantity) ? 0 : 1) }))
    .sort((a, b) => a.fit - b.fit || a.later - b.later || a.order - b.order)
    .map((m) => m.quantity);
}

function upLetter(report: Report): string {
  const g = report.header.gravity ?? [0, 0, -1];
  return 'xyz'[g.map(Math.abs).indexOf(Math.max(...g.map(Math.abs)))] ?? 'z';
}

/** What is worth a first look: the chosen body's height, a traced point, forces of contacts; never what stands still. */
export function firstChoice(report: Report, body: string | null, variation: Variation): Quantity[] {
  const all = (report.header.quantities ?? []).filter((q) => variation.varies(q));
  const by = (test: (q: Quantity) => boolean, most: number): Quantity[] => all.filter(test).slice(0, most);
  const height = report.header.dimension === 2 ? 'y' : upLetter(report);
  const choice: Quantity[] = [];
  if (body) choice.push(...by((q) => q.name === `${body}.${height}`, 1));
  const point = report.header.points?.[0];
  if (!body && point) choice.push(...by((q) => ['x', 'y', 'z'].some((c) => q.name === `${point.name}.${c}`), 3));
  if (choice.length === 0) choice.push(...by((q) => q.name.endsWith(`.${height}`), 2));
  if (choice.length === 0) choice.push(...by((q) => q.name.endsWith('.angle'), 2));
  if (choice.length === 0) choice.push(...by((q) => !internal.test(q.name), 3));
  const contacts = new Set((report.header.arrows ?? []).filter((a) => a.kind === 'contact').map((a) => a.name));
  choice.push(...by((q) => q.name.endsWith('.force') && contacts.has(q.group ?? ''), 4));
  return choice;
}
