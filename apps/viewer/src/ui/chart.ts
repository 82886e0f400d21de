// A plot over time, linked to the replay's time, or over another quantity; with zoom, cursors and export.

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { number, rough } from '../format';
import { between, type Timeline } from '../timeline';
import { drawing, picture, table, type Range } from './chart_export';
import {
  axes, colorName, decadesAround, drawnValue, extremesOf, pageColor, type ChartOptions, type Series,
} from './chart_style';
import { download, fileName, iconButton, make } from './dom';

export type { ChartOptions, Series } from './chart_style';

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
  private readonly reference = make('div', { class: 'chart-marker reference' });
  private readonly observer: ResizeObserver;
  private readonly stopListening: () => void;
  private plot: uPlot | null = null;
  private readonly data: uPlot.AlignedData;
  private valueCells: HTMLElement[] = [];
  private shown = '';

  constructor(
    private readonly options: ChartOptions,
    private readonly series: Series[],
    private readonly timeline: Timeline,
    private readonly reportTitle: string,
  ) {
    this.holder = make('div', { class: 'chart-holder' });
    this.legend = make('div', { class: 'chart-legend' });
    this.resetButton = iconButton('reset', options.over ? 'Show everything' : 'Show the whole time', () => this.resetZoom());
    this.resetButton.hidden = true;
    const heading = make('h3', {}, options.title);
    if (options.unit) heading.append(make('span', { class: 'unit' }, options.unit));
    const over = options.over?.label ?? 'time';
    if (options.over) heading.append(make('span', { class: 'unit' }, `over ${over}`));
    this.element = make(
      'figure',
      { class: 'chart', 'aria-label': `${options.title} over ${over}` },
      make(
        'div',
        { class: 'chart-head' },
        heading,
        make(
          'div',
          { class: 'chart-tools' },
          this.resetButton,
          options.over ? null : iconButton('plus', `Zoom ${options.title} in about the current time`, () => this.zoomIn()),
          iconButton('image', `Save ${options.title} as PNG`, () => this.savePng()),
          iconButton('download', `Save ${options.title} as CSV`, () => this.saveCsv()),
        ),
      ),
      this.legend,
      this.holder,
      options.note ? make('figcaption', {}, options.note) : null,
    );
    // Over anything but the time a line may turn back: it is drawn by hand, in scales that the table fixes.
    this.data = options.over
      ? ([this.widest((s) => s.time), ...series.map(() => [null, null])] as uPlot.AlignedData)
      : this.align((value) => drawnValue(value, options.scale));
    this.observer = new ResizeObserver(() => this.fitSize());
    this.observer.observe(this.holder);
    this.stopListening = options.over ? () => {} : timeline.onWindow(() => this.followWindow());
    this.makeLegend();
  }

  /** All series on common times, in one table. */
  private align(shown: (value: number) => number | null): uPlot.AlignedData {
    const tables = this.series.map((s): uPlot.AlignedData => [Array.from(s.time), Array.from(s.values, shown)]);
    const sameTimes = this.series.every((s) => s.time === this.series[0].time);
    if (sameTimes) return [tables[0][0], ...tables.map((t) => t[1])] as uPlot.AlignedData;
    return uPlot.join(tables);
  }

  /** The least and greatest number of all series. */
  private widest(numbers: (s: Series) => ArrayLike<number | null>): [number, number] {
    let low = Infinity;
    let high = -Infinity;
    for (const s of this.series) {
      const all = numbers(s);
      for (let i = 0; i < all.length; ++i) {
        const v = all[i];
        if (v === null || !Number.isFinite(v)) continue;
        low = Math.min(low, v);
        high = Math.max(high, v);
      }
    }
    if (!(low <= high)) return [0, 1];
    return low === high ? [low - 0.5, high + 0.5] : [low, high];
  }

  private colorOf(index: number): string {
    return pageColor(colorName(this.series[index], index));
  }

  private makeLegend(): void {
    this.valueCells = this.series.map(() => make('output', { class: 'value' }));
    this.legend.replaceChildren(
      ...this.series.map((s, i) => {
        const swatch = make('span', { class: s.points ? 'swatch dot' : 'swatch' });
        swatch.style.background = `var(${colorName(s, i)})`;
        return make('span', { class: 'entry' }, swatch, make('span', {}, s.label), this.valueCells[i]);
      }),
    );
  }

  private scales(): uPlot.Scales {
    const log = this.options.scale === 'log';
    if (!this.options.over) return { x: { time: false }, y: log ? { range: (_, low, high) => decadesAround(low, high) } : {} };
    const [left, right] = this.widest((s) => s.time);
    const [low, high] = this.widest((s) => Array.from(s.values, (v) => drawnValue(v, this.options.scale)));
    const room = 0.06 * (high - low);
    return {
      x: { time: false, min: left, max: right },
      y: { range: () => (log ? decadesAround(low, high) : [low - room, high + room]) },
    };
  }

  private build(width: number, height: number): void {
    this.plot?.destroy();
    const line = devicePixelRatio > 1 ? 1.6 : 1.5;
    this.plot = new uPlot(
      {
        width,
        height,
        padding: [10, this.options.over ? 18 : 12, 0, 0],
        legend: { show: false },
        cursor: {
          drag: { x: true, y: false, dist: 6 },
          points: { size: 7 },
          bind: { dblclick: () => () => (this.resetZoom(), null) },
        },
        scales: this.scales(),
        axes: axes(this.options),
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
          drawAxes: [(u) => this.drawEvents(u)],
          draw: [(u) => this.drawCurves(u), (u) => this.drawBands(u), (u) => this.drawExtremes(u), (u) => this.drawLevel(u)],
          setScale: [(u, key) => key === 'x' && this.scaleChanged(u)],
          ready: [(u) => this.connect(u)],
        },
      },
      this.data,
      this.holder,
    );
    this.shown = '';
    this.followWindow();
    this.showTime();
  }

  /** A click sets the time, with shift the time to compare with; a drag zooms. */
  private connect(u: uPlot): void {
    if (this.options.over && !this.options.over.ofTime) return;
    u.over.append(this.marker, this.reference);
    for (const marker of [this.marker, this.reference]) marker.classList.toggle('dot', this.options.over !== undefined);
    if (this.options.over) return;
    let downAt = 0;
    u.over.addEventListener('mousedown', (event) => (downAt = event.clientX));
    u.over.addEventListener('click', (event) => {
      if (Math.abs(event.clientX - downAt) > 5) return;
      const time = u.posToVal(event.clientX - u.over.getBoundingClientRect().left, 'x');
      if (event.shiftKey) this.timeline.compareWith(time);
      else this.timeline.set(time);
    });
  }

  private inside(u: uPlot, draw: (ctx: CanvasRenderingContext2D) => void): void {
    const { ctx } = u;
    ctx.save();
    ctx.beginPath();
    ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
    ctx.clip();
    draw(ctx);
    ctx.restore();
  }

  /** Lines over anything but the time. */
  private drawCurves(u: uPlot): void {
    if (!this.options.over) return;
    this.inside(u, (ctx) => {
      ctx.lineWidth = 1.5 * devicePixelRatio;
      ctx.lineJoin = 'round';
      this.series.forEach((s, i) => {
        ctx.strokeStyle = this.colorOf(i);
        ctx.beginPath();
        let pen = false;
        for (let k = 0; k < s.values.length; ++k) {
          const value = drawnValue(s.values[k], this.options.scale);
          if (value !== null) {
            const x = u.valToPos(s.time[k], 'x', true);
            const y = u.valToPos(value, 'y', true);
            if (pen) ctx.lineTo(x, y);
            else ctx.moveTo(x, y);
          }
          pen = value !== null;
        }
        ctx.stroke();
      });
    });
  }

  /** Fills what lies within the measured error of a line. */
  private drawBands(u: uPlot): void {
    if (this.options.over || this.options.scale === 'log') return;
    this.inside(u, (ctx) => {
      this.series.forEach((s, i) => {
        const { band } = s;
        if (!band) return;
        const x = (k: number): number => u.valToPos(s.time[k], 'x', true);
        const y = (value: number): number => u.valToPos(value, 'y', true);
        ctx.beginPath();
        for (let k = 0; k < band.length; ++k) ctx.lineTo(x(k), y(s.values[k] + band[k]));
        for (let k = band.length - 1; k >= 0; --k) ctx.lineTo(x(k), y(s.values[k] - band[k]));
        ctx.closePath();
        ctx.globalAlpha = 0.25;
        ctx.fillStyle = this.colorOf(i);
        ctx.fill();
      });
    });
  }

  private drawEvents(u: uPlot): void {
    const { events, over } = this.options;
    if (!events || over) return;
    this.inside(u, (ctx) => {
      ctx.strokeStyle = pageColor('--warn');
      ctx.globalAlpha = 0.45;
      ctx.lineWidth = devicePixelRatio;
      ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
      ctx.beginPath();
      for (const { time } of events) {
        const x = u.valToPos(time, 'x', true);
        ctx.moveTo(x, u.bbox.top);
        ctx.lineTo(x, u.bbox.top + u.bbox.height);
      }
      ctx.stroke();
    });
  }

  /** Marks the least and greatest value of each line within what is seen. */
  private drawExtremes(u: uPlot): void {
    if (!this.options.extremes) return;
    const { min, max } = u.scales.x;
    this.inside(u, (ctx) => {
      ctx.font = `${11 * devicePixelRatio}px "Inter Variable", system-ui, sans-serif`;
      ctx.textAlign = 'center';
      this.series.forEach((s, i) => {
        const found = extremesOf(s, min ?? -Infinity, max ?? Infinity);
        if (!found) return;
        ctx.fillStyle = this.colorOf(i);
        found.forEach((k, which) => {
          const value = drawnValue(s.values[k], this.options.scale);
          if (value === null) return;
          const x = u.valToPos(s.time[k], 'x', true);
          const y = u.valToPos(value, 'y', true);
          ctx.beginPath();
          ctx.arc(x, y, 3.2 * devicePixelRatio, 0, 2 * Math.PI);
          ctx.fill();
          const text = number(s.values[k], 4);
          const half = ctx.measureText(text).width / 2 + 2 * devicePixelRatio;
          const middle = Math.min(Math.max(x, u.bbox.left + half), u.bbox.left + u.bbox.width - half);
          // Above a greatest value, below a least one, unless the edge of the plot is in the way.
          const above = which === 1 ? y - u.bbox.top > 18 * devicePixelRatio : u.bbox.top + u.bbox.height - y < 18 * devicePixelRatio;
          ctx.fillText(text, middle, y + (above ? -7 : 15) * devicePixelRatio);
        });
      });
    });
  }

  private drawLevel(u: uPlot): void {
    const level = this.options.level;
    if (!level) return;
    const y = u.valToPos(drawnValue(level.value, this.options.scale) ?? 0, 'y', true);
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

  /** The range that is seen. */
  private range(): Range {
    const { min, max } = this.plot?.scales.x ?? {};
    if (min != null && max != null) return { from: min, to: max };
    const times = this.data[0];
    return { from: times[0] ?? 0, to: times[times.length - 1] ?? 1 };
  }

  private scaleChanged(u: uPlot): void {
    const { min, max } = u.scales.x;
    const times = this.data[0];
    const whole = min === times[0] && max === times[times.length - 1];
    this.resetButton.hidden = whole || min === undefined;
    if (!this.options.over && min != null && max != null) this.timeline.setWindow(whole ? null : { from: min, to: max });
    queueMicrotask(() => this.showTime());
  }

  /** Shows the stretch of time that another plot has been zoomed to. */
  private followWindow(): void {
    const u = this.plot;
    if (!u || this.options.over) return;
    const times = this.data[0];
    const { from, to } = this.timeline.window ?? { from: times[0], to: times[times.length - 1] };
    if (u.scales.x.min !== from || u.scales.x.max !== to) u.setScale('x', { min: from, max: to });
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
    const { over } = this.options;
    if (!u || (over && !over.ofTime)) return;
    const { time, reference } = this.timeline;
    this.place(u, this.marker, time);
    this.place(u, this.reference, reference);
    const now = `${time} ${reference}`;
    if (this.shown === now) return;
    this.shown = now;
    this.series.forEach((s, i) => {
      if (s.points || over) return;
      const value = valueAt(s, time);
      const error = s.band ? valueAt({ ...s, values: s.band }, time) : NaN;
      const within = Number.isFinite(error) ? ` ± ${rough(error)}` : '';
      const change = reference === null ? '' : ` (Δ ${number(value - valueAt(s, reference), 5)})`;
      this.valueCells[i].textContent = number(value, 5) + within + change;
    });
  }

  private place(u: uPlot, marker: HTMLElement, time: number | null): void {
    let left = time === null ? -10 : u.valToPos(time, 'x');
    let top = 0;
    if (this.options.over && time !== null) {
      const first = this.series[0];
      const { frame, fraction } = between(this.options.over.ofTime ? this.timeline.times : first.time, time);
      const mix = (v: ArrayLike<number>): number => (1 - fraction) * v[frame] + fraction * (v[frame + 1] ?? v[frame]);
      left = u.valToPos(mix(first.time), 'x');
      top = u.valToPos(drawnValue(mix(first.values), this.options.scale) ?? 0, 'y');
    }
    const seen = left >= -1 && left <= u.over.clientWidth + 1;
    marker.style.transform = `translate(${left.toFixed(1)}px, ${top.toFixed(1)}px)`;
    marker.style.visibility = seen ? 'visible' : 'hidden';
  }

  private savePng(): void {
    const source = this.plot?.ctx.canvas;
    const canvas = source ? picture(source, this.options, this.series, this.reportTitle) : null;
    canvas?.toBlob((blob) => blob && download(fileName(this.reportTitle, `${this.options.title}.png`), blob));
  }

  private saveCsv(): void {
    const over = this.options.over;
    const shared = over ? [this.series[0].time, ...this.series.map((s) => s.values)] : null;
    const text = table(shared ?? (this.align((value) => value) as ArrayLike<number>[]), this.options, this.series);
    download(fileName(this.reportTitle, `${this.options.title}.csv`), new Blob([text], { type: 'text/csv' }));
  }

  /** The plot as the inside of an SVG, moved down. */
  drawing(shift: number): string {
    return drawing(this.options, this.series, this.range(), this.reportTitle, shift);
  }

  destroy(): void {
    this.stopListening();
    this.observer.disconnect();
    this.plot?.destroy();
    this.plot = null;
    this.element.remove();
  }
}
