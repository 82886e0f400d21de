// What the replay shows and from where: camera, followed body, layers, traced points.

import { number } from '../format';
import type { Report, TracedPoint } from '../report';
import type { LayerName, Stage, ViewName } from '../scene/stage';
import type { SectionAxis } from '../scene/section';
import { Visibility } from '../scene/bodies';
import { icon, iconButton, make } from './dom';

const views: [ViewName, string][] = [
  ['default', '3-D'],
  ['front', 'Front'],
  ['side', 'Side'],
  ['top', 'Top'],
];

export class ViewMenu {
  readonly bar: HTMLElement;
  private readonly panel: HTMLElement;
  private readonly button: HTMLButtonElement;
  private readonly followSelect: HTMLSelectElement;
  private readonly traces: HTMLElement;

  constructor(
    private readonly report: Report,
    private readonly stage: Stage,
    private readonly redraw: () => void,
  ) {
    this.followSelect = this.makeFollow();
    this.traces = make('div', { class: 'menu-list' });
    this.panel = make(
      'div',
      { class: 'menu', id: 'view-menu', role: 'group', 'aria-label': 'View' },
      make('h2', {}, 'Show'),
      ...this.makeLayers(),
      this.makeArrowScale(),
      ...this.makeSection(),
      this.makeTurning(),
      this.makeShowAll(),
      make('h2', {}, 'Paths of points'),
      this.traces,
    );
    this.panel.hidden = true;
    this.button = make(
      'button',
      { type: 'button', class: 'text-button', 'aria-expanded': 'false', 'aria-controls': 'view-menu', onclick: () => this.setOpen(this.panel.hidden === true) },
      icon('eye'),
      'View',
    );
    const box = make('div', { class: 'menu-box' }, this.button, this.panel);
    box.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || this.panel.hidden) return;
      this.setOpen(false);
      this.button.focus();
      event.stopPropagation();
    });
    document.addEventListener('pointerdown', (event) => {
      if (!box.contains(event.target as Node)) this.setOpen(false);
    });
    this.bar = make(
      'div',
      { class: 'stage-bar' },
      make(
        'div',
        { class: 'segments', role: 'group', 'aria-label': 'Camera' },
        ...views
          .filter(([name]) => !(stage.world.planar && name === 'side'))
          .map(([name, label]) =>
            make('button', { type: 'button', onclick: () => (stage.view(name), redraw()) }, label),
          ),
        iconButton('fit', 'Show everything', () => (stage.fit(), redraw())),
      ),
      make('label', { class: 'follow' }, make('span', {}, 'Follow'), this.followSelect),
      box,
    );
    this.showTraces();
  }

  private setOpen(open: boolean): void {
    this.panel.hidden = !open;
    this.button.setAttribute('aria-expanded', String(open));
  }

  private makeFollow(): HTMLSelectElement {
    const select = make('select', { 'aria-label': 'Body the camera follows' }, make('option', { value: '' }, 'nothing'));
    this.report.bodies.forEach((body, i) => {
      if (i > 0 && !body.fixed) select.append(make('option', { value: i }, body.name));
    });
    select.value = this.stage.followed === null ? '' : String(this.stage.followed);
    select.addEventListener('change', () => {
      this.stage.follow(select.value === '' ? null : Number(select.value));
      this.redraw();
    });
    return select;
  }

  follow(body: number | null): void {
    this.followSelect.value = body === null ? '' : String(body);
    this.stage.follow(body);
    this.redraw();
  }

  private makeLayers(): HTMLElement[] {
    const { header } = this.report;
    const { arrows } = this.stage;
    const largest = (kind: 'contact' | 'reaction' | 'force'): string => `up to ${number(arrows[kind].maximum, 3)} N`;
    const rows: [LayerName, string, boolean, string?][] = [
      ['bodies', 'Bodies', true],
      ['joints', 'Joints', (header.joints?.length ?? 0) > 0],
      ['springs', 'Springs and dampers', (header.forces ?? []).some((f) => f.draw !== 'none' && f.draw !== 'torsion')],
      ['contact', 'Contact forces', arrows.contact.maximum > 0, largest('contact')],
      ['reaction', 'Reaction forces', arrows.reaction.maximum > 0, largest('reaction')],
      ['force', 'Applied forces', arrows.force.maximum > 0, largest('force')],
      ['trails', 'Paths', true],
      ['floor', 'Floor and grid', true],
    ];
    return rows
      .filter(([, , exists]) => exists)
      .map(([layer, label, , hint]) => {
        const box = make('input', { type: 'checkbox', 'data-layer': layer });
        box.checked = this.stage.layers[layer];
        box.addEventListener('change', () => {
          this.stage.layers[layer] = box.checked;
          this.stage.applyLayers();
          this.redraw();
        });
        return make(
          'label',
          { class: 'menu-row' },
          box,
          make('span', { class: `layer layer-${layer}` }, label),
          hint ? make('small', {}, hint) : null,
        );
      });
  }

  /** A cut through the bodies: across which axis, and where. */
  private makeSection(): HTMLElement[] {
    const axes: [SectionAxis, string][] = [['none', 'none'], ['x', 'across x'], ['y', 'across y'], ['z', 'across z']];
    const select = make('select', { 'aria-label': 'Section' }, ...axes.map(([value, label]) => make('option', { value }, label)));
    const slider = make('input', { type: 'range', min: 0, max: 1, step: 0.005, value: 0.5, 'aria-label': 'Place of the section' });
    const cut = (): void => {
      slider.disabled = select.value === 'none';
      this.stage.cut(select.value as SectionAxis, Number(slider.value));
      this.redraw();
    };
    select.addEventListener('change', cut);
    slider.addEventListener('input', cut);
    slider.disabled = true;
    return [
      make('h2', {}, 'Section'),
      make('div', { class: 'menu-row' }, select, slider),
      make('h2', {}, 'Camera and bodies'),
    ];
  }

  private makeTurning(): HTMLElement {
    const box = make('input', { type: 'checkbox' });
    box.addEventListener('change', () => {
      this.stage.turning = box.checked;
      this.stage.follow(this.stage.followed);
      this.redraw();
    });
    return make('label', { class: 'menu-row' }, box, make('span', {}, 'Turn with the followed body'));
  }

  private makeShowAll(): HTMLElement {
    return make(
      'button',
      { type: 'button', class: 'text-button small', onclick: () => (this.stage.setVisibility(null, Visibility.shown), this.redraw()) },
      'Show all bodies',
    );
  }

  private makeArrowScale(): HTMLElement | null {
    const { arrows } = this.stage;
    const all = Object.values(arrows);
    if (all.every((a) => a.maximum === 0)) return null;
    const slider = make('input', { type: 'range', min: -1, max: 1, step: 0.05, value: 0, 'aria-label': 'Length of the arrows' });
    slider.addEventListener('input', () => {
      for (const a of all) a.scale = 10 ** Number(slider.value);
      this.stage.applyLayers();
      this.redraw();
    });
    return make('label', { class: 'menu-row' }, make('span', {}, 'Length of arrows'), slider);
  }

  /** Points given by the model, then the origins of bodies. */
  private showTraces(): void {
    const points: TracedPoint[] = [...(this.report.header.points ?? [])];
    this.report.bodies.forEach((body, i) => {
      if (i > 0 && !body.fixed && !points.some((p) => p.name === body.name))
        points.push({ name: body.name, body: i, point: [0, 0, 0] });
    });
    this.traces.replaceChildren(
      ...points.map((point) => {
        const box = make('input', { type: 'checkbox' });
        box.checked = this.stage.trails.some((trail) => trail.name === point.name);
        box.addEventListener('change', () => {
          if (box.checked) this.stage.addTrail(point.name, point.body, point.point);
          else this.stage.removeTrail(point.name);
          this.redraw();
        });
        return make('label', { class: 'menu-row' }, box, make('span', {}, point.name));
      }),
    );
  }
}
