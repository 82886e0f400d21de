// What all plots look like: colours of the page, axes, powers of ten.

import type uPlot from 'uplot';
import { number } from '../format';

export interface Series {
  label: string;
  /** What the plot is over: times, for most. */
  time: ArrayLike<number>;
  values: ArrayLike<number>;
  /** Single points instead of a line. */
  points?: boolean;
  dashed?: boolean;
  /** Measured error of each value: drawn as a band about the line. */
  band?: ArrayLike<number>;
  /** A CSS variable's name; otherwise by order. */
  color?: string;
}

/** What a plot is over, where that is not the time. */
export interface Axis {
  label: string;
  unit?: string;
  /** Whether each point belongs to a time of the report, which the plot then marks. */
  ofTime: boolean;
}

export interface ChartOptions {
  title: string;
  unit?: string;
  scale?: 'linear' | 'log';
  /** A level to compare with, drawn across. */
  level?: { value: number; label: string };
  note?: string;
  over?: Axis;
  /** Times of events, drawn as thin lines. */
  events?: { time: number; name: string }[];
  /** Marks the least and the greatest value of each line. */
  extremes?: boolean;
}

const seriesColors = 8;

/** A colour of the page as a canvas understands it. */
export function pageColor(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export function colorName(series: Series, index: number): string {
  return series.color ?? `--series-${(index % seriesColors) + 1}`;
}

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';
export function power(exponent: number): string {
  const digits = [...String(Math.abs(exponent))].map((d) => superscripts[Number(d)]).join('');
  return `10${exponent < 0 ? '⁻' : ''}${digits}`;
}

export function decadesAround(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [-1, 1];
  const bottom = Math.floor(low);
  return [bottom, Math.max(Math.ceil(high), bottom + 1)];
}

/** Round numbers from low to high, about so many. */
export function ticks(low: number, high: number, wanted: number): number[] {
  const span = high - low;
  if (!(span > 0)) return [low];
  const raw = span / Math.max(wanted, 1);
  const decade = 10 ** Math.floor(Math.log10(raw));
  const step = decade * ([1, 2, 5, 10].find((m) => m * decade >= raw) ?? 10);
  const out: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * span; ++k) out.push(k * step);
  return out;
}

export function axes(options: ChartOptions): uPlot.Axis[] {
  const common = {
    font: '11px "Inter Variable", system-ui, sans-serif',
    stroke: pageColor('--ink-2'),
    grid: { stroke: pageColor('--line'), width: 1 },
    ticks: { stroke: pageColor('--line'), width: 1, size: 4 },
  };
  const log = options.scale === 'log';
  const unit = options.over ? (options.over.unit ?? '') : 's';
  return [
    {
      ...common,
      space: 56,
      size: 30,
      values: (_, splits) => splits.map((v, i) => number(v, 6) + (i === splits.length - 1 && unit ? ` ${unit}` : '')),
    },
    {
      ...common,
      size: (_, values) => Math.max(48, 14 + 6.4 * Math.max(0, ...(values ?? []).map((v) => v?.length ?? 0))),
      space: log ? 18 : 30,
      // Whole decades only, and not more of them than fit.
      ...(log ? { incrs: [1, 2, 3, 5, 10, 20, 50, 100] } : {}),
      values: (_, splits) => splits.map((v) => (log ? power(v) : number(v, 6))),
    },
  ];
}

/** The height at which a value is drawn: on a logarithmic axis its power of ten. */
export function drawnValue(value: number, scale: ChartOptions['scale']): number | null {
  if (!Number.isFinite(value)) return null;
  if (scale !== 'log') return value;
  return value === 0 ? null : Math.log10(Math.abs(value));
}

/** The samples with the least and the greatest value between two values of what the plot is over. */
export function extremesOf(series: Series, from: number, to: number): [least: number, greatest: number] | null {
  let least = -1;
  let greatest = -1;
  for (let i = 0; i < series.values.length; ++i) {
    const v = series.values[i];
    if (!Number.isFinite(v) || series.time[i] < from || series.time[i] > to) continue;
    if (least < 0 || v < series.values[least]) least = i;
    if (greatest < 0 || v > series.values[greatest]) greatest = i;
  }
  return least < 0 || series.values[least] === series.values[greatest] ? null : [least, greatest];
}
