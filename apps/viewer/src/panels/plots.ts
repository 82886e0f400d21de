// Plots of quantities chosen by name; those of one unit share a plot.

import type { Quantity, Report } from '../report';
import type { Timeline } from '../timeline';
import { errorBand } from '../accuracy';
import { Chart, type Series } from '../ui/chart';
import { icon, make } from '../ui/dom';

/** More lines in one plot cannot be told apart. */
const mostPerChart = 8;

/** What is worth a first look: the chosen body's height, a traced point, forces of contacts. */
function firstChoice(report: Report, body: string | null): Quantity[] {
  const all = report.header.quantities ?? [];
  const by = (test: (q: Quantity) => boolean, most: number): Quantity[] => all.filter(test).slice(0, most);
  const height = report.header.dimension === 2 ? 'y' : upLetter(report);
  const choice: Quantity[] = [];
  if (body) choice.push(...by((q) => q.name === `${body}.${height}`, 1));
  const point = report.header.points?.[0];
  if (!body && point) choice.push(...by((q) => ['x', 'y', 'z'].some((c) => q.name === `${point.name}.${c}`), 3));
  if (choice.length === 0) choice.push(...by((q) => q.name.endsWith(`.${height}`), 2));
  if (choice.length === 0) choice.push(...all.slice(0, Math.min(3, all.length)));
  const contacts = new Set((report.header.arrows ?? []).filter((a) => a.kind === 'contact').map((a) => a.name));
  choice.push(...by((q) => q.name.endsWith('.force') && contacts.has(q.group ?? ''), 4));
  return choice;
}

function upLetter(report: Report): string {
  const g = report.header.gravity ?? [0, 0, -1];
  return 'xyz'[g.map(Math.abs).indexOf(Math.max(...g.map(Math.abs)))] ?? 'z';
}

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

  constructor(
    private readonly report: Report,
    private readonly timeline: Timeline,
    body: string | null,
  ) {
    this.quantities = report.header.quantities ?? [];
    for (const quantity of firstChoice(report, body)) this.chosen.add(quantity.name);
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
      placeholder: `Choose from ${this.quantities.length} quantities`,
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
      this.stack,
    );
    this.refresh();
  }

  private open(): void {
    const parts = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    this.matches = this.quantities.filter((q) => parts.every((part) => q.name.toLowerCase().includes(part)));
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
    if (rows.length === 0) rows.push(make('p', { class: 'empty' }, 'Nothing has this name.'));
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
    const chosen = this.quantities.filter((q) => this.chosen.has(q.name));
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

  private chart(quantities: Quantity[], unit: string): Chart {
    const series = quantities.map(
      (q): Series => ({
        label: q.name,
        time: this.report.times,
        values: this.report.series(q) ?? new Float32Array(0),
        band: errorBand(this.report, q.name),
      }),
    );
    const title = quantities.length === 1 ? quantities[0].name : commonName(quantities, unit);
    return new Chart({ title, unit: unit || undefined }, series, this.timeline, this.report.header.title);
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
