// The topology: bodies as vertices, joints as edges, force elements as dashed edges.

import type { Report } from '../report';
import { iconButton, make, makeSvg } from '../ui/dom';
import { placeGraph, type Placed } from './layout';

/** With more bodies than this only the pointed-at and selected ones show their names. */
const mostNames = 48;

interface Edge {
  name: string;
  type: string;
  bodies: [number, number];
  force: boolean;
  redundant: boolean;
}

export class Topology {
  readonly element: HTMLElement;
  onSelect: (body: number | null) => void = () => {};
  private readonly svg: SVGSVGElement;
  private readonly nodes: SVGGElement[] = [];
  private readonly edges: Edge[];
  private readonly lines: SVGPathElement[] = [];
  private readonly detail = make('p', { class: 'detail', 'aria-live': 'polite' });
  private box = { x: 0, y: 0, width: 1, height: 1 };
  private drawn = false;

  constructor(
    private readonly report: Report,
    private readonly colorOf: (body: number) => string,
  ) {
    const { header } = report;
    const inside = (edge: Edge): boolean => edge.bodies.every((i) => i >= 0 && i < report.bodies.length);
    this.edges = [
      ...(header.joints ?? []).map((j) => ({ ...j, force: false, redundant: j.redundant ?? false })),
      ...(header.forces ?? []).map((f) => ({ ...f, force: true, redundant: false })),
    ].filter(inside);
    this.svg = makeSvg('svg', { class: 'graph', role: 'group', 'aria-label': 'Bodies and the joints between them' });
    const joints = this.edges.filter((e) => !e.force).length;
    this.element = make(
      'div',
      { class: 'topology' },
      make(
        'div',
        { class: 'graph-head' },
        make('p', { class: 'lead' }, `${report.bodies.length} bodies, ${joints} joints, ${this.edges.length - joints} forces`),
        make(
          'div',
          { class: 'chart-tools' },
          iconButton('plus', 'Enlarge the graph', () => this.zoom(0.8)),
          iconButton('fit', 'Show the whole graph', () => this.showAll()),
        ),
      ),
      this.svg,
      make(
        'p',
        { class: 'graph-key' },
        make('span', { class: 'key-joint' }), 'joint',
        make('span', { class: 'key-redundant' }), 'has redundant equations',
        make('span', { class: 'key-force' }), 'force',
      ),
      this.detail,
    );
    this.addPanning();
    new ResizeObserver(() => this.drawn && this.setBox()).observe(this.svg);
  }

  /** Laid out when first seen: it takes a moment for many bodies. */
  show(): void {
    if (this.drawn) return;
    this.drawn = true;
    const { bodies } = this.report;
    const named = bodies.length <= mostNames;
    const shown = bodies.map((body) => splitName(body.name));
    const boxes = shown.map((parts) => ({
      width: named ? 3.6 * Math.max(...parts.map((p) => p.length)) + 6 : 12,
      height: named ? 22 + 8 * parts.length : 12, // from the vertex to its name's last line
    }));
    const pairs = this.edges.filter((e) => e.bodies[0] !== e.bodies[1]).map((e) => e.bodies);
    const places = placeGraph(boxes, pairs);
    this.drawEdges(places);
    bodies.forEach((body, i) => {
      const ground = i === 0 || body.fixed;
      const shape = ground
        ? makeSvg('rect', { x: -11, y: -7, width: 22, height: 14, rx: 3 })
        : makeSvg('circle', { r: 9 });
      shape.setAttribute('fill', this.colorOf(i));
      const label = makeSvg('text', { 'text-anchor': 'middle', class: named ? '' : 'hidden-name' });
      shown[i].forEach((part, k) => label.append(makeSvg('tspan', { x: 0, y: 22 + 12 * k }, part)));
      const node = makeSvg(
        'g',
        {
          class: 'node',
          tabindex: 0,
          role: 'button',
          'aria-label': body.name,
          transform: `translate(${places[i].x.toFixed(1)} ${places[i].y.toFixed(1)})`,
          onclick: () => this.onSelect(i),
          onkeydown: (event: KeyboardEvent) => {
            if (event.key !== 'Enter' && event.key !== ' ') return;
            event.preventDefault();
            event.stopPropagation();
            this.onSelect(i);
          },
        },
        makeSvg('title', {}, body.name),
        makeSvg('g', { class: 'steady' }, shape, label),
      );
      this.nodes.push(node);
      this.svg.append(node);
    });
    const xs = places.flatMap((p, i) => [p.x - boxes[i].width, p.x + boxes[i].width]);
    const ys = places.flatMap((p, i) => [p.y - 16, p.y + boxes[i].height + 20]);
    this.whole = {
      x: Math.min(...xs) - 10,
      y: Math.min(...ys) - 10,
      width: Math.max(...xs) - Math.min(...xs) + 20,
      height: Math.max(...ys) - Math.min(...ys) + 20,
    };
    this.showAll();
  }
  private whole = this.box;

  private drawEdges(places: Placed[]): void {
    const seen = new Map<string, number>();
    for (const edge of this.edges) {
      const [i, j] = edge.bodies;
      const a = places[i];
      const b = places[j];
      const pair = i < j ? `${i} ${j}` : `${j} ${i}`;
      const nth = seen.get(pair) ?? 0;
      seen.set(pair, nth + 1);
      // Several edges of one pair bow out to both sides in turn.
      const bow = (nth % 2 === 0 ? nth / 2 : -(nth + 1) / 2) * 22 * (i < j ? 1 : -1);
      const mx = (a.x + b.x) / 2;
      const my = (a.y + b.y) / 2;
      const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
      const cx = mx - ((b.y - a.y) / length) * bow;
      const cy = my + ((b.x - a.x) / length) * bow;
      const path = makeSvg(
        'path',
        {
          d: `M${a.x.toFixed(1)} ${a.y.toFixed(1)}Q${cx.toFixed(1)} ${cy.toFixed(1)} ${b.x.toFixed(1)} ${b.y.toFixed(1)}`,
          class: `edge${edge.force ? ' force' : ''}${edge.redundant ? ' redundant' : ''}`,
          onclick: () => (this.detail.textContent = this.describe(edge)),
        },
        makeSvg('title', {}, this.describe(edge)),
      );
      this.lines.push(path);
      this.svg.append(path);
    }
  }

  private describe(edge: Edge): string {
    const ends = edge.bodies.map((i) => this.report.bodies[i].name).join(' – ');
    return `${edge.name}: ${edge.type}, ${ends}${edge.redundant ? ', has redundant equations' : ''}`;
  }

  select(body: number | null): void {
    this.show();
    this.nodes.forEach((node, i) => node.classList.toggle('selected', i === body));
    this.lines.forEach((line, k) => line.classList.toggle('selected', body !== null && this.edges[k].bodies.includes(body)));
    if (body === null) {
      this.detail.textContent = '';
      return;
    }
    const own = this.edges.filter((edge) => edge.bodies.includes(body));
    this.detail.textContent = `${this.report.bodies[body].name}: ${own.map((edge) => `${edge.name} (${edge.type})`).join(', ') || 'free'}`;
  }

  private setBox(): void {
    const { x, y, width, height } = this.box;
    this.svg.setAttribute('viewBox', `${x} ${y} ${width} ${height}`);
    // Vertices and names keep a size that can be read.
    const { clientWidth, clientHeight } = this.svg;
    const ratio = Math.max(width / (clientWidth || width), height / (clientHeight || height));
    this.svg.style.setProperty('--steady', String(Math.min(Math.max(ratio, 0.6), 2)));
  }
  private showAll(): void {
    this.box = { ...this.whole };
    this.setBox();
  }
  private zoom(factor: number): void {
    const { x, y, width, height } = this.box;
    this.box = {
      x: x + ((1 - factor) * width) / 2,
      y: y + ((1 - factor) * height) / 2,
      width: width * factor,
      height: height * factor,
    };
    this.setBox();
  }

  private addPanning(): void {
    let last: { x: number; y: number } | null = null;
    this.svg.addEventListener('pointerdown', (event) => (last = { x: event.clientX, y: event.clientY }));
    this.svg.addEventListener('pointermove', (event) => {
      if (!last || event.buttons === 0) return;
      const scale = Math.max(this.box.width / this.svg.clientWidth, this.box.height / this.svg.clientHeight);
      this.box.x -= (event.clientX - last.x) * scale;
      this.box.y -= (event.clientY - last.y) * scale;
      last = { x: event.clientX, y: event.clientY };
      this.setBox();
    });
    this.svg.addEventListener('pointerup', () => (last = null));
    this.svg.addEventListener(
      'wheel',
      (event) => {
        if (!event.ctrlKey && !event.metaKey) return; // plain scrolling moves the page
        event.preventDefault();
        this.zoom(event.deltaY > 0 ? 1.1 : 1 / 1.1);
      },
      { passive: false },
    );
  }
}

/** Long names on two lines, broken at an underscore near the middle. */
function splitName(name: string): string[] {
  if (name.length <= 13) return [name];
  const breaks = [...name.matchAll(/[_.]/g)].map((m) => m.index);
  if (breaks.length === 0) return [name];
  const best = breaks.reduce((a, b) => (Math.abs(b - name.length / 2) < Math.abs(a - name.length / 2) ? b : a));
  return [name.slice(0, best + 1), name.slice(best + 1)];
}
