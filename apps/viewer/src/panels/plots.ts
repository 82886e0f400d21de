// Plots of quantities chosen by name; those of one unit share a plot.

import type { Event, Quantity, Report } from '../report';
import type { Timeline } from '../timeline';
import { errorBand } from '../accuracy';
import { evaluate, FormulaFault, looksLikeFormula, type Column } from '../formula';
import { number } from '../format';
import { spectrum } from '../spectrum';
import { Chart, type Series } from '../ui/chart';
import { svg } from '../ui/chart_export';
import type { Axis } from '../ui/chart_style';
import { download, fileName, icon, make } from '../ui/dom';
import { find, firstChoice, Variation } from './quantities';

/** More lines in one plot cannot be told apart. */
const mostPerChart = 8;
/** More events than these would be a wall of lines. */
const mostEvents = 200;

export class Plots {
  readonly element: HTMLElement;
  charts: Chart[] = [];
  private readonly chosen = new Set<string>();
  private readonly quantities: Quantity[];
  private readonly list: HTMLElement;
  private readonly search: HTMLInputElement;
  private readonly stack = make('div', { class: 'chart-stack' });
  private readonly chips = make('div', { class: 'chips', 'aria-label': 'Plotted quantities' });
  private active = 0;
  private matches: Quantity[] = [];
  private readonly formulas = new Map<string, Column>();
  private readonly variation: Variation;
  /** What plots are over: '' for the time, '#' for the frequency, or a quantity. */
  private over = '';
  private readonly comparing = make('button', { type: 'button', class: 'chip', hidden: true });
  private log = false;
  private extremes = false;
  private events = false;

  constructor(
    private readonly report: Report,
    private readonly timeline: Timeline,
    body: string | null,
  ) {
    this.quantities = report.header.quantities ?? [];
    this.variation = new Variation(report);
    for (const quantity of firstChoice(report, body, this.variation)) this.chosen.add(quantity.name);
    this.list = make('div', {
      class: 'picker-list',
      role: 'listbox',
      id: 'quantities',
      'aria-multiselectable': 'true',
      'aria-label': 'Quantities',
    });
    this.list.hidden = true;
    this.search = make('input', {
      type: 'search',
      placeholder: `Choose from ${this.quantities.length} quantities, or write a formula of them`,
      role: 'combobox',
      'aria-expanded': 'false',
      'aria-controls': 'quantities',
      'aria-autocomplete': 'list',
      'aria-label': 'Choose quantities to plot',
      autocomplete: 'off',
      spellcheck: 'false',
    });
    const picker = make('div', { class: 'picker' }, this.search, this.list);
    this.search.addEventListener('input', () => this.open());
    this.search.addEventListener('focus', () => this.open());
    this.search.addEventListener('click', () => this.open());
    this.search.addEventListener('keydown', (event) => this.key(event));
    picker.addEventListener('focusout', (event) => {
      if (!picker.contains(event.relatedTarget as Node | null)) this.close();
    });
    this.list.addEventListener('mousedown', (event) => event.preventDefault()); // keeps the focus
    this.list.addEventListener('click', (event) => {
      const name = (event.target as Element).closest<HTMLElement>('[role=option]')?.dataset.name;
      if (name) this.toggle(name);
    });
    this.element = make(
      'div',
      { class: 'plots' },
      this.quantities.length > 0 ? picker : make('p', { class: 'empty' }, 'This report has no quantities.'),
      this.chips,
      this.quantities.length > 0 ? this.makeTools() : null,
      this.stack,
    );
    this.comparing.addEventListener('click', () => this.timeline.compareWith(null));
    this.timeline.onChange(() => this.showComparing());
    this.refresh();
  }

  /** How far the current time is from the one to compare with. */
  private showComparing(): void {
    const { time, reference } = this.timeline;
    this.comparing.hidden = reference === null;
    if (reference === null) return;
    this.comparing.replaceChildren(`Δt ${number(time - reference, 5)} s from ${number(reference, 5)} s`, icon('cross'));
    this.comparing.setAttribute('aria-label', 'Stop comparing');
  }

  /** What all plots are over, and what is marked in them. */
  private makeTools(): HTMLElement {
    const over = make(
      'select',
      { 'aria-label': 'What plots are over' },
      make('option', { value: '' }, 'time'),
      make('option', { value: '#' }, 'frequency'),
      ...this.quantities.map((q) => make('option', { value: q.name }, q.name)),
    );
    over.addEventListener('change', () => {
      this.over = over.value;
      this.refresh();
    });
    const toggle = (label: string, title: string, press: (on: boolean) => void): HTMLElement => {
      const button = make('button', { type: 'button', class: 'text-button small', title, 'aria-pressed': 'false' }, label);
      button.addEventListener('click', () => {
        const on = button.getAttribute('aria-pressed') !== 'true';
        button.setAttribute('aria-pressed', String(on));
        press(on);
        this.refresh();
      });
      return button;
    };
    return make(
      'div',
      { class: 'plot-tools', role: 'group', 'aria-label': 'How plots are drawn' },
      make('label', {}, make('span', {}, 'Over'), over),
      toggle('Log', 'Magnitudes on a logarithmic axis', (on) => (this.log = on)),
      toggle('Extremes', 'Marks the least and the greatest value', (on) => (this.extremes = on)),
      (this.report.header.events ?? []).length > 0
        ? toggle('Events', 'Marks the times of events', (on) => (this.events = on))
        : null,
      make('button', { type: 'button', class: 'text-button small', title: 'Saves all plots as one SVG file', onclick: () => this.saveSvg() }, icon('download'), 'SVG'),
      this.comparing,
    );
  }

  private saveSvg(): void {
    if (this.charts.length === 0) return;
    const text = svg(this.charts.map((chart) => (shift: number) => chart.drawing(shift)));
    download(fileName(this.report.header.title, 'plots.svg'), new Blob([text], { type: 'image/svg+xml' }));
  }

  /** The text of the field as a formula: its column, what is wrong with it, or null where it is none. */
  private formula(): Column | FormulaFault | null {
    const text = this.search.value.trim();
    if (!looksLikeFormula(text)) return null;
    try {
      return evaluate(text, this.report);
    } catch (fault) {
      if (fault instanceof FormulaFault) return fault;
      throw fault;
    }
  }

  private open(): void {
    const formula = this.formula();
    this.matches = find(this.quantities, this.search.value, this.variation);
    if (formula && !(formula instanceof FormulaFault))
      this.matches = [{ name: this.search.value.trim(), unit: formula.unit, group: 'Formula', array: '' }, ...this.matches];
    this.active = Math.min(this.active, Math.max(this.matches.length - 1, 0));
    let group: string | undefined;
    const rows: HTMLElement[] = [];
    this.matches.forEach((quantity, i) => {
      if (quantity.group !== group) {
        group = quantity.group;
        if (group) rows.push(make('div', { class: 'picker-group', role: 'presentation' }, group));
      }
      rows.push(
        make(
          'div',
          {
            role: 'option',
            id: `quantity-${i}`,
            class: i === this.active ? 'active' : '',
            'data-name': quantity.name,
            'aria-selected': String(this.chosen.has(quantity.name)),
          },
          make('span', { class: 'box' }, icon('check')),
          make('span', { class: 'name' }, quantity.name),
          make('span', { class: 'unit' }, quantity.unit ?? ''),
        ),
      );
    });
    if (formula instanceof FormulaFault && this.matches.length === 0)
      rows.push(make('p', { class: 'empty' }, `Formula: ${formula.message} (column ${formula.at + 1}).`));
    else if (rows.length === 0) rows.push(make('p', { class: 'empty' }, 'Nothing has this name.'));
    this.list.replaceChildren(...rows);
    this.list.hidden = false;
    this.search.setAttribute('aria-expanded', 'true');
    this.markActive();
  }

  private close(): void {
    this.list.hidden = true;
    this.search.setAttribute('aria-expanded', 'false');
    this.search.removeAttribute('aria-activedescendant');
  }

  private markActive(): void {
    this.list.querySelector('.active')?.classList.remove('active');
    const option = this.list.querySelector(`#quantity-${this.active}`);
    option?.classList.add('active');
    option?.scrollIntoView({ block: 'nearest' });
    if (option) this.search.setAttribute('aria-activedescendant', option.id);
  }

  private key(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (step !== undefined) {
      if (this.list.hidden) this.open();
      this.active = Math.min(Math.max(this.active + step, 0), this.matches.length - 1);
      this.markActive();
      event.preventDefault();
    } else if (event.key === 'Enter' && !this.list.hidden) {
      const quantity = this.matches[this.active];
      if (quantity) this.toggle(quantity.name);
      event.preventDefault();
    } else if (event.key === 'Escape' && !this.list.hidden) {
      this.close();
      event.preventDefault();
      event.stopPropagation();
    }
  }

  /** Plots these and no others. */
  choose(names: string[]): void {
    this.chosen.clear();
    for (const name of names) this.chosen.add(name);
    this.refresh();
  }

  toggle(name: string): void {
    if (!this.chosen.delete(name)) this.chosen.add(name);
    const option = this.list.querySelector(`[data-name="${CSS.escape(name)}"]`);
    option?.setAttribute('aria-selected', String(this.chosen.has(name)));
    this.refresh();
  }

  private refresh(): void {
    const chosen = this.columns();
    this.chips.replaceChildren(
      ...chosen.map((q) =>
        make(
          'button',
          { type: 'button', class: 'chip', 'aria-label': `Remove ${q.name}`, onclick: () => this.toggle(q.name) },
          q.name,
          icon('cross'),
        ),
      ),
    );
    for (const chart of this.charts) chart.destroy();
    const units = [...new Set(chosen.map((q) => q.unit ?? ''))];
    this.charts = units.flatMap((unit) => {
      const same = chosen.filter((q) => (q.unit ?? '') === unit);
      const charts: Chart[] = [];
      for (let i = 0; i < same.length; i += mostPerChart)
        charts.push(this.chart(same.slice(i, i + mostPerChart), unit));
      return charts;
    });
    this.stack.replaceChildren(...this.charts.map((chart) => chart.element));
    if (this.charts.length === 0 && this.quantities.length > 0)
      this.stack.append(make('p', { class: 'empty' }, 'Choose a quantity above.'));
  }

  /** The chosen quantities and formulas. */
  private columns(): Quantity[] {
    const named = this.quantities.filter((q) => this.chosen.has(q.name));
    const known = new Set(named.map((q) => q.name));
    const formulas = [...this.chosen].filter((name) => !known.has(name)).flatMap((name): Quantity[] => {
      try {
        const column = this.formulas.get(name) ?? evaluate(name, this.report);
        this.formulas.set(name, column);
        return [{ name, unit: column.unit, array: '' }];
      } catch (fault) {
        if (fault instanceof FormulaFault) return [];
        throw fault;
      }
    });
    return [...named, ...formulas];
  }

  private valuesOf(q: Quantity): ArrayLike<number> {
    return this.formulas.get(q.name)?.values ?? this.report.series(q) ?? new Float32Array(0);
  }

  /** What the plots are over where that is not the time. */
  private axis(): Axis | undefined {
    if (this.over === '') return undefined;
    if (this.over === '#') return { label: 'frequency', unit: 'Hz', ofTime: false };
    return { label: this.over, unit: this.quantities.find((q) => q.name === this.over)?.unit, ofTime: true };
  }

  private line(q: Quantity): Series {
    const values = this.valuesOf(q);
    if (this.over === '#') {
      const { frequencies, amplitudes } = spectrum(this.report.times, values);
      return { label: q.name, time: frequencies, values: amplitudes };
    }
    const across = this.quantities.find((other) => other.name === this.over);
    if (across) return { label: q.name, time: this.valuesOf(across), values };
    return { label: q.name, time: this.report.times, values, band: errorBand(this.report, q.name) };
  }

  private chart(quantities: Quantity[], unit: string): Chart {
    const title = quantities.length === 1 ? quantities[0].name : commonName(quantities, unit);
    const events: Event[] = this.events ? (this.report.header.events ?? []).slice(0, mostEvents) : [];
    const over = this.axis();
    return new Chart(
      {
        title: this.over === '#' ? `Amplitude of ${title}` : title,
        unit: unit || undefined,
        scale: this.log ? 'log' : 'linear',
        over,
        events,
        extremes: this.extremes,
      },
      quantities.map((q) => this.line(q)),
      this.timeline,
      this.report.header.title,
    );
  }
}

const kinds: Record<string, string> = {
  m: 'Lengths',
  'm/s': 'Velocities',
  'm/s^2': 'Accelerations',
  rad: 'Angles',
  'rad/s': 'Angular velocities',
  'rad/s^2': 'Angular accelerations',
  N: 'Forces',
  'N m': 'Torques',
  J: 'Energies',
};

function commonName(quantities: Quantity[], unit: string): string {
  const group = quantities[0].group;
  if (group && quantities.every((q) => q.group === group)) return group;
  if (kinds[unit]) return kinds[unit];
  const last = quantities.map((q) => q.name.slice(q.name.lastIndexOf('.') + 1));
  return last.every((word) => word === last[0]) ? last[0] : 'Quantities';
}
