// A plot over time, linked to the replay's time, with zoom and export.

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { number, rough } from '../format';
import { between, type Timeline } from '../timeline';
import { download, fileName, iconButton, make } from './dom';

export interface Series {
  label: string;
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

export interface ChartOptions {
  title: string;
  unit?: string;
  scale?: 'linear' | 'log';
  /** A level to compare with, drawn across. */
  level?: { value: number; label: string };
  note?: string;
}

const seriesColors = 8;

/** A colour of the page as a canvas understands it. */
function pageColor(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';
function power(exponent: number): string {
  const digits = [...String(Math.abs(exponent))].map((d) => superscripts[Number(d)]).join('');
  return `10${exponent < 0 ? '⁻' : ''}${digits}`;
}

/** The value of a series at a time, between its samples. */
export function valueAt(series: Series, time: number): number {
  const { time: times, values } = series;
  const n = times.length;
  if (n === 0 || time < times[0] || time > times[n - 1]) return NaN;
  if (n === 1) return values[0];
  const { frame, fraction } = between(times, time);
  return (1 - fraction) * values[frame] + fraction * values[frame + 1];
}

export class Chart {
  readonly element: HTMLElement;
  private readonly holder: HTMLElement;
  private readonly legend: HTMLElement;
  private readonly resetButton: HTMLButtonElement;
  private readonly marker = make('div', { class: 'chart-marker' });
  private readonly observer: ResizeObserver;
  private plot: uPlot | null = null;
  private readonly data: uPlot.AlignedData;
  private valueCells: HTMLElement[] = [];
  private shown: number | null = null;

  constructor(
    private readonly options: ChartOptions,
    private readonly series: Series[],
    private readonly timeline: Timeline,
    private readonly reportTitle: string,
  ) {
    this.holder = make('div', { class: 'chart-holder' });
    this.legend = make('div', { class: 'chart-legend' });
    this.resetButton = iconButton('reset', 'Show the whole time', () => this.resetZoom());
    this.resetButton.hidden = true;
    const heading = make('h3', {}, options.title);
    if (options.unit) heading.append(make('span', { class: 'unit' }, options.unit));
    this.element = make(
      'figure',
      { class: 'chart', 'aria-label': `${options.title} over time` },
      make(
        'div',
        { class: 'chart-head' },
        heading,
        make(
          'div',
          { class: 'chart-tools' },
          this.resetButton,
          iconButton('plus', `Zoom ${options.title} in about the current time`, () => this.zoomIn()),
          iconButton('image', `Save ${options.title} as PNG`, () => this.savePng()),
          iconButton('download', `Save ${options.title} as CSV`, () => this.saveCsv()),
        ),
      ),
      this.legend,
      this.holder,
      options.note ? make('figcaption', {}, options.note) : null,
    );
    this.data = this.align((value) => this.drawn(value));
    this.observer = new ResizeObserver(() => this.fitSize());
    this.observer.observe(this.holder);
    this.makeLegend();
  }

  /** All series on common times, in one table. */
  private align(shown: (value: number) => number | null): uPlot.AlignedData {
    const tables = this.series.map(
      (s): uPlot.AlignedData => [Array.from(s.time), Array.from(s.values, shown)],
    );
    const sameTimes = this.series.every((s) => s.time === this.series[0].time);
    if (sameTimes) return [tables[0][0], ...tables.map((t) => t[1])] as uPlot.AlignedData;
    return uPlot.join(tables);
  }

  /** The height at which a value is drawn: on a logarithmic axis its power of ten. */
  private drawn(value: number): number | null {
    if (!Number.isFinite(value)) return null;
    if (this.options.scale !== 'log') return value;
    return value > 0 ? Math.log10(value) : null;
  }

  private colorOf(index: number): string {
    return pageColor(this.series[index].color ?? `--series-${(index % seriesColors) + 1}`);
  }

  private makeLegend(): void {
    this.valueCells = this.series.map(() => make('output', { class: 'value' }));
    this.legend.replaceChildren(
      ...this.series.map((s, i) => {
        const swatch = make('span', { class: s.points ? 'swatch dot' : 'swatch' });
        swatch.style.background = `var(${s.color ?? `--series-${(i % seriesColors) + 1}`})`;
        return make('span', { class: 'entry' }, swatch, make('span', {}, s.label), this.valueCells[i]);
      }),
    );
  }

  private axes(): uPlot.Axis[] {
    const font = '11px "Inter Variable", system-ui, sans-serif';
    const common = {
      font,
      stroke: pageColor('--ink-2'),
      grid: { stroke: pageColor('--line'), width: 1 },
      ticks: { stroke: pageColor('--line'), width: 1, size: 4 },
    };
    const log = this.options.scale === 'log';
    return [
      { ...common, space: 56, size: 30, values: (_, splits) => splits.map((v, i) => number(v, 6) + (i === splits.length - 1 ? ' s' : '')) },
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

  private build(width: number, height: number): void {
    this.plot?.destroy();
    const log = this.options.scale === 'log';
    const line = devicePixelRatio > 1 ? 1.6 : 1.5;
    const plot = new uPlot(
      {
        width,
        height,
        padding: [10, 12, 0, 0],
        legend: { show: false },
        cursor: {
          drag: { x: true, y: false, dist: 6 },
          points: { size: 7 },
          bind: { dblclick: () => () => (this.resetZoom(), null) },
        },
        scales: {
          x: { time: false },
          y: log ? { range: (_, low, high) => decadesAround(low, high) } : {},
        },
        axes: this.axes(),
        series: [
          {},
          ...this.series.map((s, i): uPlot.Series => {
            const stroke = this.colorOf(i);
            const points = s.points || s.values.length === 1;
            return {
              label: s.label,
              stroke,
              width: points ? 0 : line,
              spanGaps: true,
              ...(s.dashed ? { dash: [6, 4] } : {}),
              points: points ? { show: true, size: 5, fill: stroke, width: 0 } : { show: false },
              ...(points ? { paths: () => null } : {}),
            };
          }),
        ],
        hooks: {
          draw: [(u) => this.drawBands(u), (u) => this.drawLevel(u)],
          setScale: [(u, key) => key === 'x' && this.scaleChanged(u)],
          ready: [(u) => this.connect(u)],
        },
      },
      this.data,
      this.holder,
    );
    this.plot = plot;
    this.showTime();
  }

  /** A click sets the time; a drag zooms. */
  private connect(u: uPlot): void {
    u.over.append(this.marker);
    let downAt = 0;
    u.over.addEventListener('mousedown', (event) => (downAt = event.clientX));
    u.over.addEventListener('click', (event) => {
      if (Math.abs(event.clientX - downAt) > 5) return;
      const left = event.clientX - u.over.getBoundingClientRect().left;
      this.timeline.set(u.posToVal(left, 'x'));
    });
  }

  /** Fills what lies within the measured error of a line. */
  private drawBands(u: uPlot): void {
    const { ctx } = u;
    this.series.forEach((s, i) => {
      const band = s.band;
      if (!band) return;
      const x = (k: number): number => u.valToPos(s.time[k], 'x', true);
      const y = (value: number): number => u.valToPos(value, 'y', true);
      ctx.save();
      ctx.beginPath();
      ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
      ctx.clip();
      ctx.beginPath();
      for (let k = 0; k < band.length; ++k) ctx.lineTo(x(k), y(s.values[k] + band[k]));
      for (let k = band.length - 1; k >= 0; --k) ctx.lineTo(x(k), y(s.values[k] - band[k]));
      ctx.closePath();
      ctx.globalAlpha = 0.25;
      ctx.fillStyle = this.colorOf(i);
      ctx.fill();
      ctx.restore();
    });
  }

  private drawLevel(u: uPlot): void {
    const level = this.options.level;
    if (!level) return;
    const y = u.valToPos(this.drawn(level.value) ?? 0, 'y', true);
    if (y < u.bbox.top || y > u.bbox.top + u.bbox.height) return;
    const { ctx } = u;
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = pageColor('--warn');
    ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
    ctx.lineWidth = devicePixelRatio;
    ctx.beginPath();
    ctx.moveTo(u.bbox.left, y);
    ctx.lineTo(u.bbox.left + u.bbox.width, y);
    ctx.stroke();
    ctx.font = `${11 * devicePixelRatio}px "Inter Variable", system-ui, sans-serif`;
    ctx.textAlign = 'right';
    ctx.fillText(level.label, u.bbox.left + u.bbox.width - 4, y - 5 * devicePixelRatio);
    ctx.restore();
  }

  private fitSize(): void {
    const width = this.holder.clientWidth;
    const height = this.holder.clientHeight;
    if (width === 0 || height === 0) return;
    if (this.plot) this.plot.setSize({ width, height });
    else this.build(width, height);
    this.showTime();
  }

  /** Colours of the page have changed. */
  setTheme(): void {
    if (this.plot) this.build(this.holder.clientWidth, this.holder.clientHeight);
  }

  private scaleChanged(u: uPlot): void {
    const { min, max } = u.scales.x;
    const times = this.data[0];
    const whole = min === times[0] && max === times[times.length - 1];
    this.resetButton.hidden = whole || min === undefined;
    queueMicrotask(() => this.showTime());
  }

  private resetZoom(): void {
    const times = this.data[0];
    this.plot?.setScale('x', { min: times[0], max: times[times.length - 1] });
  }

  private zoomIn(): void {
    const { min, max } = this.plot?.scales.x ?? {};
    if (min == null || max == null) return;
    const half = (max - min) / 4;
    const times = this.data[0];
    const first = times[0];
    const last = times[times.length - 1];
    const centre = Math.min(Math.max(this.timeline.time, first + half), last - half);
    this.plot?.setScale('x', { min: centre - half, max: centre + half });
  }

  /** Moves the marker and the values of the legend to the current time. */
  showTime(): void {
    const u = this.plot;
    if (!u) return;
    const left = u.valToPos(this.timeline.time, 'x');
    const inside = left >= -1 && left <= u.over.clientWidth + 1;
    this.marker.style.transform = `translateX(${left.toFixed(1)}px)`;
    this.marker.style.visibility = inside ? 'visible' : 'hidden';
    if (this.shown === this.timeline.time) return;
    this.shown = this.timeline.time;
    this.series.forEach((s, i) => {
      if (s.points) return;
      const error = s.band ? valueAt({ ...s, values: s.band }, this.timeline.time) : NaN;
      const within = Number.isFinite(error) ? ` ± ${rough(error)}` : '';
      this.valueCells[i].textContent = number(valueAt(s, this.timeline.time), 5) + within;
    });
  }

  private savePng(): void {
    const source = this.plot?.ctx.canvas;
    if (!source) return;
    const ratio = devicePixelRatio;
    const head = 56 * ratio;
    const canvas = make('canvas', { width: source.width, height: source.height + head });
    const ctx = canvas.getContext('2d');
    if (!ctx) return;
    ctx.fillStyle = pageColor('--panel');
    ctx.fillRect(0, 0, canvas.width, canvas.height);
    ctx.drawImage(source, 0, head);
    ctx.fillStyle = pageColor('--ink');
    ctx.font = `600 ${13 * ratio}px "Inter Variable", system-ui, sans-serif`;
    const unit = this.options.unit ? ` [${this.options.unit}]` : '';
    ctx.fillText(`${this.options.title}${unit} · ${this.reportTitle}`, 12 * ratio, 20 * ratio);
    ctx.font = `${11 * ratio}px "Inter Variable", system-ui, sans-serif`;
    let x = 12 * ratio;
    this.series.forEach((s, i) => {
      ctx.fillStyle = this.colorOf(i);
      ctx.fillRect(x, 35 * ratio, 12 * ratio, 3 * ratio);
      ctx.fillStyle = pageColor('--ink-2');
      ctx.fillText(s.label, x + 17 * ratio, 40 * ratio);
      x += 32 * ratio + ctx.measureText(s.label).width;
    });
    canvas.toBlob((blob) => blob && download(fileName(this.reportTitle, `${this.options.title}.png`), blob));
  }

  private saveCsv(): void {
    const unit = this.options.unit ? ` [${this.options.unit}]` : '';
    const quote = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const rows = [['time [s]', ...this.series.map((s) => quote(s.label + unit))].join(',')];
    const columns = this.align((value) => value) as ArrayLike<number | null | undefined>[];
    for (let i = 0; i < columns[0].length; ++i) rows.push(columns.map((c) => c[i] ?? '').join(','));
    const text = `${rows.join('\n')}\n`;
    download(fileName(this.reportTitle, `${this.options.title}.csv`), new Blob([text], { type: 'text/csv' }));
  }

  destroy(): void {
    this.observer.disconnect();
    this.plot?.destroy();
    this.plot = null;
    this.element.remove();
  }
}

function decadesAround(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [-1, 1];
  const bottom = Math.floor(low);
  return [bottom, Math.max(Math.ceil(high), bottom + 1)];
}
