// A plot as a file: picture, drawing, table.

import { number } from '../format';
import { colorName, decadesAround, drawnValue, pageColor, power, ticks, type ChartOptions, type Series } from './chart_style';
import { make } from './dom';

/** What of a plot is seen: from and to, of what it is over. */
export interface Range {
  from: number;
  to: number;
}

function headline(options: ChartOptions, reportTitle: string): string {
  const unit = options.unit ? ` [${options.unit}]` : '';
  const over = options.over ? ` over ${options.over.label}` : '';
  return `${options.title}${unit}${over} · ${reportTitle}`;
}

/** The canvas of a plot with a head that says what it is. */
export function picture(source: HTMLCanvasElement, options: ChartOptions, series: Series[], reportTitle: string): HTMLCanvasElement | null {
  const ratio = devicePixelRatio;
  const head = 56 * ratio;
  const canvas = make('canvas', { width: source.width, height: source.height + head });
  const ctx = canvas.getContext('2d');
  if (!ctx) return null;
  ctx.fillStyle = pageColor('--panel');
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  ctx.drawImage(source, 0, head);
  ctx.fillStyle = pageColor('--ink');
  ctx.font = `600 ${13 * ratio}px "Inter Variable", system-ui, sans-serif`;
  ctx.fillText(headline(options, reportTitle), 12 * ratio, 20 * ratio);
  ctx.font = `${11 * ratio}px "Inter Variable", system-ui, sans-serif`;
  let x = 12 * ratio;
  series.forEach((s, i) => {
    ctx.fillStyle = pageColor(colorName(s, i));
    ctx.fillRect(x, 35 * ratio, 12 * ratio, 3 * ratio);
    ctx.fillStyle = pageColor('--ink-2');
    ctx.fillText(s.label, x + 17 * ratio, 40 * ratio);
    x += 32 * ratio + ctx.measureText(s.label).width;
  });
  return canvas;
}

/** All columns of a plot as CSV; those over other times than the first leave cells empty. */
export function table(columns: ArrayLike<number | null | undefined>[], options: ChartOptions, series: Series[]): string {
  const unit = options.unit ? ` [${options.unit}]` : '';
  const quote = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const first = options.over ? options.over.label + (options.over.unit ? ` [${options.over.unit}]` : '') : 'time [s]';
  const rows = [[quote(first), ...series.map((s) => quote(s.label + unit))].join(',')];
  for (let i = 0; i < columns[0].length; ++i) rows.push(columns.map((c) => c[i] ?? '').join(','));
  return `${rows.join('\n')}\n`;
}

const width = 720;
const height = 300;
const left = 70;
const right = 20;
const top = 52;
const bottom = 34;
export const drawingSize = { width, height };

const escape = (text: string): string => text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c] ?? c);
const at = (value: number): string => value.toFixed(2).replace(/\.?0+$/, '');

/** One line, without the points that no eye could tell apart. */
function path(s: Series, range: Range, options: ChartOptions, x: (v: number) => number, y: (v: number) => number): string {
  const parts: string[] = [];
  let pen = 'M';
  let lastX = NaN;
  let lastY = NaN;
  for (let i = 0; i < s.values.length; ++i) {
    const value = drawnValue(s.values[i], options.scale);
    if (value === null || s.time[i] < range.from || s.time[i] > range.to) {
      if (value === null) pen = 'M';
      continue;
    }
    const px = x(s.time[i]);
    const py = y(value);
    if (pen === 'L' && Math.abs(px - lastX) < 0.05 && Math.abs(py - lastY) < 0.05) continue;
    parts.push(s.points ? `M${at(px - 2)} ${at(py)}a2 2 0 1 0 4 0a2 2 0 1 0 -4 0` : `${pen}${at(px)} ${at(py)}`);
    pen = 'L';
    lastX = px;
    lastY = py;
  }
  return parts.join('');
}

function heights(options: ChartOptions, series: Series[], range: Range): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const s of series)
    for (let i = 0; i < s.values.length; ++i) {
      const value = drawnValue(s.values[i], options.scale);
      if (value === null || s.time[i] < range.from || s.time[i] > range.to) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  if (!(low <= high)) return [-1, 1];
  if (options.scale === 'log') return decadesAround(low, high);
  const room = 0.06 * (high - low) || Math.abs(high) || 1;
  return [low - room, high + room];
}

/** A plot as the inside of an SVG, `drawingSize` large, its left upper corner at (0, shift). */
export function drawing(options: ChartOptions, series: Series[], range: Range, reportTitle: string, shift = 0): string {
  const [low, high] = heights(options, series, range);
  const x = (v: number): number => left + ((v - range.from) / (range.to - range.from || 1)) * (width - left - right);
  const y = (v: number): number => height - bottom - ((v - low) / (high - low)) * (height - top - bottom);
  const ink = pageColor('--ink');
  const soft = pageColor('--ink-2');
  const line = pageColor('--line');
  const out: string[] = [`<g transform="translate(0 ${shift})">`];
  out.push(`<rect width="${width}" height="${height}" fill="${pageColor('--panel')}"/>`);
  out.push(`<text x="12" y="20" font-size="13" font-weight="600" fill="${ink}">${escape(headline(options, reportTitle))}</text>`);
  let legend = 12;
  series.forEach((s, i) => {
    out.push(`<rect x="${legend}" y="33" width="12" height="3" fill="${pageColor(colorName(s, i))}"/>`);
    out.push(`<text x="${legend + 17}" y="39" font-size="11" fill="${soft}">${escape(s.label)}</text>`);
    legend += 34 + 6.2 * s.label.length;
  });
  const across = ticks(range.from, range.to, 7);
  const unit = options.over ? (options.over.unit ?? '') : 's';
  across.forEach((v, i) => {
    const label = number(v, 6) + (i === across.length - 1 && unit ? ` ${unit}` : '');
    out.push(`<path d="M${at(x(v))} ${top}V${height - bottom}" stroke="${line}"/>`);
    out.push(`<text x="${at(x(v))}" y="${height - bottom + 18}" font-size="11" fill="${soft}" text-anchor="middle">${label}</text>`);
  });
  const log = options.scale === 'log';
  for (const v of ticks(low, high, log ? Math.min(high - low, 8) : 5)) {
    if (log && v !== Math.round(v)) continue;
    out.push(`<path d="M${left} ${at(y(v))}H${width - right}" stroke="${line}"/>`);
    out.push(`<text x="${left - 8}" y="${at(y(v) + 4)}" font-size="11" fill="${soft}" text-anchor="end">${log ? power(v) : number(v, 6)}</text>`);
  }
  series.forEach((s, i) => {
    const color = pageColor(colorName(s, i));
    const style = s.points ? `fill="${color}"` : `fill="none" stroke="${color}" stroke-width="1.5" stroke-linejoin="round"${s.dashed ? ' stroke-dasharray="6 4"' : ''}`;
    out.push(`<path d="${path(s, range, options, x, y)}" ${style}/>`);
  });
  out.push('</g>');
  return out.join('\n');
}

/** Several plots below each other, as one SVG file. */
export function svg(drawings: ((shift: number) => string)[]): string {
  const all = drawings.map((draw, i) => draw(i * (height + 16))).join('\n');
  const tall = drawings.length * (height + 16) - 16;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${tall}" viewBox="0 0 ${width} ${tall}" ` +
    `font-family="Inter, system-ui, sans-serif">\n${all}\n</svg>\n`
  );
}
