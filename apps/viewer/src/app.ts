// Puts the parts of the page together and runs the one loop that draws.

import { number } from './format';
import { makeCertificate } from './panels/certificate';
import { makeEvents } from './panels/events';
import { makeNumerics } from './panels/numerics';
import { Plots } from './panels/plots';
import { Topology } from './panels/topology';
import { Tree } from './panels/tree';
import { seal, type Report } from './report';
import { Visibility } from './scene/bodies';
import { binaryGltf } from './scene/gltf';
import { Stage } from './scene/stage';
import { Timeline } from './timeline';
import type { Chart } from './ui/chart';
import { download, fileName, icon, iconButton, make } from './ui/dom';
import { addHelp } from './ui/help';
import { filmFormat, Recorder } from './ui/recorder';
import { Tabs, type Tab } from './ui/tabs';
import { Theme } from './ui/theme';
import { Transport } from './ui/transport';
import { ViewMenu } from './ui/view_menu';

/** A frame slower than this on average asks for fewer pixels [ms]. */
const slowFrame = 45;

export class App {
  readonly timeline: Timeline;
  stage: Stage | null = null;
  /** Script time of the last frames [ms]; tests and curious people read it. */
  readonly frameTimes: number[] = [];
  private readonly theme = new Theme();
  private readonly transport: Transport;
  private readonly tabs: Tabs;
  private readonly plots: Plots;
  private readonly numerics: Chart[];
  private readonly events: ReturnType<typeof makeEvents>;
  private readonly tree: Tree;
  private readonly topology: Topology | null;
  private readonly card = make('div', { class: 'card' });
  private readonly cardText = make('div', { class: 'card-text', role: 'status' });
  private readonly hover = make('div', { class: 'hover-name', 'aria-hidden': 'true' });
  private menu: ViewMenu | null = null;
  private scheduled = false;
  private moved = true;
  private lastFrame = 0;
  private slowness = 0;

  constructor(
    private readonly report: Report,
    root: HTMLElement,
  ) {
    const { header } = report;
    document.title = `${header.title} · Kardan`;
    this.timeline = new Timeline(report.startTime, report.endTime, report.times);
    this.transport = new Transport(this.timeline, header.events ?? []);
    const host = make('div', { class: 'stage' });
    const problem = report.poses ? this.openStage(host) : null;

    const followed = this.stage?.followed ?? null;
    this.plots = new Plots(report, this.timeline, followed === null ? null : report.bodies[followed].name);
    const numerics = makeNumerics(report, this.timeline);
    this.numerics = numerics.charts;
    this.events = makeEvents(report, this.timeline);
    this.tree = new Tree(report);
    this.topology = report.bodies.length > 0 ? new Topology(report, (i) => this.stage?.bodies.color(i) ?? '#8a93a0') : null;
    this.tree.onSelect = (body) => this.select(body);
    if (this.topology) this.topology.onSelect = (body) => this.select(body);
    const refresh = (): void => this.invalidate();
    const tabs: Tab[] = [
      { id: 'result', label: 'Result', content: makeCertificate(report) },
      { id: 'plots', label: 'Plots', content: this.plots.element, show: refresh },
      { id: 'numerics', label: 'Numerics', content: numerics.element, show: refresh },
      { id: 'events', label: 'Events', content: this.events.element, show: refresh },
      { id: 'model', label: 'Model', content: this.tree.element },
    ];
    if (this.topology)
      tabs.push({ id: 'topology', label: 'Topology', content: this.topology.element, show: () => this.topology?.show() });
    this.tabs = new Tabs(tabs);

    const stageArea = make('section', { class: 'stage-area', 'aria-label': '3-D replay' }, host, this.transport.element);
    if (problem) host.append(make('p', { class: 'stage-problem' }, problem));
    root.replaceChildren(
      this.makeHeader(),
      make(
        'main',
        { class: report.poses ? 'layout' : 'layout no-stage' },
        stageArea,
        this.stage ? this.makeDivider() : null,
        make('section', { class: 'side', 'aria-label': 'Report' }, this.tabs.list, this.tabs.panels),
      ),
    );

    this.theme.onChange = () => this.themeChanged();
    this.timeline.onChange(() => {
      this.moved = true;
      this.invalidate();
    });
    this.addKeys();
    if (this.stage) {
      new ResizeObserver(() => {
        this.stage?.resize();
        this.invalidate();
      }).observe(host);
      this.stage.resize();
      this.stage.view('default');
    }
    this.themeChanged();
    if (!report.poses) this.tabs.open('plots');
    (window as unknown as { kardan: App }).kardan = this;
    this.invalidate();
  }

  /** Null, or why there is no 3-D picture. */
  private openStage(host: HTMLElement): string | null {
    try {
      this.stage = new Stage(host, this.report);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return `The 3-D replay needs WebGL, which this browser does not offer (${reason}). Plots and tables work.`;
    }
    const { stage } = this;
    stage.canvas.tabIndex = 0;
    stage.canvas.setAttribute('role', 'application');
    stage.canvas.setAttribute(
      'aria-label',
      `3-D replay of ${this.report.header.title}. Arrow keys turn the camera, with shift they move it, plus and minus zoom.`,
    );
    stage.onCamera = () => this.invalidate();
    stage.onPick = (body) => this.select(body);
    this.menu = new ViewMenu(this.report, stage, () => {
      this.moved = true;
      this.invalidate();
    });
    this.card.append(this.cardText, this.makeVisibility());
    this.card.hidden = this.hover.hidden = true;
    stage.onHover = (body, x, y) => {
      this.hover.hidden = body === null || body === stage.selected;
      if (body === null) return;
      this.hover.textContent = this.report.bodies[body].name;
      this.hover.style.transform = `translate(${Math.round(x + 14)}px, ${Math.round(y + 12)}px)`;
    };
    const scale = make('p', { class: 'scale' }, `grid ${number(stage.ground.spacing, 3)} m`);
    this.menu.bar.append(this.makeExports(stage));
    host.append(this.menu.bar, this.card, this.hover, scale);
    return null;
  }

  /** How the selected body is seen. */
  private makeVisibility(): HTMLElement {
    const button = (label: string, title: string, press: (body: number) => void): HTMLElement =>
      make('button', { type: 'button', class: 'text-button small', title, onclick: () => this.changeSelected(press) }, label);
    return make(
      'div',
      { class: 'card-tools', role: 'group', 'aria-label': 'How this body is seen' },
      button('Hide', 'Hides this body (H)', (body) => this.stage?.setVisibility(body, Visibility.hidden)),
      button('See through', 'Shows what lies behind this body (G)', (body) => this.toggleGhost(body)),
      button('Only this', 'Hides all other bodies (I)', (body) => this.stage?.isolate(body)),
    );
  }

  private toggleGhost(body: number): void {
    const ghost = this.stage?.bodies.visibility[body] === Visibility.ghost;
    this.stage?.setVisibility(body, ghost ? Visibility.shown : Visibility.ghost);
  }

  private changeSelected(change: (body: number) => void): void {
    const body = this.stage?.selected ?? null;
    if (body === null) return;
    change(body);
    this.moved = true;
    this.invalidate();
  }

  /** The replay as a picture, a film, or a scene for other programs. */
  private makeExports(stage: Stage): HTMLElement {
    const { title } = this.report.header;
    const recorder = new Recorder(stage.canvas, this.timeline, title);
    const film = iconButton('film', 'Record the replay as a film', () => (recorder.recording ? recorder.stop() : recorder.start()));
    film.setAttribute('aria-pressed', 'false');
    film.hidden = filmFormat() === null;
    recorder.onChange = (on) => film.setAttribute('aria-pressed', String(on));
    const save = async (): Promise<void> => {
      const blob = await stage.picture();
      if (blob) download(fileName(title, 'replay.png'), blob);
    };
    return make(
      'div',
      { class: 'segments', role: 'group', 'aria-label': 'Save the replay' },
      iconButton('image', 'Save the picture as PNG', () => void save()),
      film,
      iconButton('cube', 'Save bodies and motion as glTF', () =>
        download(fileName(title, 'replay.glb'), new Blob([binaryGltf(this.report, stage.solids, stage.world)], { type: 'model/gltf-binary' })),
      ),
    );
  }

  private makeHeader(): HTMLElement {
    const { title, subtitle, verdict } = this.report.header;
    const badge = verdict
      ? make(
          'button',
          { type: 'button', class: `badge ${seal(verdict).tone}`, onclick: () => this.tabs.open('result') },
          icon(seal(verdict).icon),
          seal(verdict).word,
        )
      : null;
    return make(
      'header',
      { class: 'top' },
      make('div', { class: 'titles' }, make('h1', {}, title), subtitle ? make('p', {}, subtitle) : null),
      badge,
      make(
        'div',
        { class: 'top-tools' },
        addHelp(),
        iconButton('theme', 'Light or dark', () => this.theme.toggle()),
      ),
    );
  }

  /** The border between replay and report can be moved. */
  private makeDivider(): HTMLElement {
    const divider = make('div', {
      class: 'divider',
      role: 'separator',
      tabindex: 0,
      'aria-orientation': 'vertical',
      'aria-label': 'Width of the replay',
      'aria-valuemin': 30,
      'aria-valuemax': 75,
      'aria-valuenow': 58,
    });
    const set = (percent: number): void => {
      const inside = Math.min(Math.max(percent, 30), 75);
      document.documentElement.style.setProperty('--stage-width', `${inside}%`);
      divider.setAttribute('aria-valuenow', inside.toFixed(0));
    };
    divider.addEventListener('pointerdown', (event) => {
      divider.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    divider.addEventListener('pointermove', (event) => {
      if (divider.hasPointerCapture(event.pointerId)) set((100 * event.clientX) / window.innerWidth);
    });
    divider.addEventListener('keydown', (event) => {
      const step = { ArrowLeft: -2, ArrowRight: 2 }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      set(Number(divider.getAttribute('aria-valuenow')) + step);
    });
    return divider;
  }

  select(body: number | null): void {
    const next = this.stage?.selected === body ? null : body;
    this.stage?.select(next);
    this.tree.select(next);
    this.topology?.select(next);
    this.moved = true;
    this.invalidate();
  }

  private themeChanged(): void {
    this.stage?.setTheme();
    for (const chart of [...this.plots.charts, ...this.numerics]) chart.setTheme();
    this.invalidate();
  }

  private addKeys(): void {
    const { timeline } = this;
    const step = (frames: number): void => {
      const span = timeline.end - timeline.start;
      const frame = span / Math.max(this.report.times.length - 1, 1);
      timeline.setPlaying(false);
      timeline.set(timeline.time + frames * frame);
    };
    window.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const target = event.target as HTMLElement;
      if (target.closest('input, select, textarea, [role=tree], [role=separator], dialog')) return;
      const onCanvas = target === this.stage?.canvas;
      if (onCanvas && this.cameraKey(event)) {
        event.preventDefault();
        return;
      }
      const actions: Record<string, () => void> = {
        ' ': () => timeline.setPlaying(!timeline.playing),
        ArrowLeft: () => step(event.shiftKey ? -10 : -1),
        ArrowRight: () => step(event.shiftKey ? 10 : 1),
        Home: () => timeline.set(timeline.start),
        End: () => timeline.set(timeline.end),
        ',': () => this.transport.changeSpeed(-1),
        '.': () => this.transport.changeSpeed(1),
        c: () => timeline.compareWith(timeline.reference === null ? timeline.time : null),
        f: () => this.stage?.fit(),
        h: () => this.changeSelected((body) => this.stage?.setVisibility(body, Visibility.hidden)),
        g: () => this.changeSelected((body) => this.toggleGhost(body)),
        i: () => this.changeSelected((body) => this.stage?.isolate(body)),
        a: () => {
          this.stage?.setVisibility(null, Visibility.shown);
          this.invalidate();
        },
        Escape: () => this.stage?.selected != null && this.select(this.stage.selected),
      };
      const action = actions[event.key];
      // A button has its own meaning for the space bar.
      if (!action || (event.key === ' ' && target.closest('button, summary, [role=button]'))) return;
      event.preventDefault();
      action();
    });
  }

  private cameraKey(event: KeyboardEvent): boolean {
    const { stage } = this;
    if (!stage) return false;
    const arrow = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (arrow) {
      if (event.shiftKey) stage.pan(0.04 * arrow[0], 0.04 * arrow[1]);
      else stage.orbit(0.09 * arrow[0], -0.07 * arrow[1]);
    } else if (event.key === '+' || event.key === '=') stage.zoom(0.9);
    else if (event.key === '-') stage.zoom(1 / 0.9);
    else return false;
    return true;
  }

  invalidate(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame((now) => this.frame(now));
  }

  private frame(now: number): void {
    const began = performance.now();
    this.scheduled = false;
    if (this.timeline.playing) {
      const passed = this.lastFrame > 0 ? now - this.lastFrame : 0;
      this.lastFrame = now;
      this.adapt(passed);
      // After a pause of the browser the replay goes on, it does not jump.
      this.timeline.advance(Math.min(passed, 250) / 1000);
    } else {
      this.lastFrame = 0;
    }
    if (this.moved) {
      this.moved = false;
      this.stage?.moveTo(this.timeline.time);
      this.transport.showTime();
    }
    this.showPanels();
    const swinging = this.stage?.draw() ?? false;
    this.showCard();
    if (swinging || this.timeline.playing) this.invalidate();
    this.frameTimes.push(performance.now() - began);
    if (this.frameTimes.length > 600) this.frameTimes.splice(0, 300);
  }

  private adapt(passed: number): void {
    if (passed <= 0) return;
    this.slowness = 0.9 * this.slowness + 0.1 * passed;
    if (this.slowness > slowFrame && this.stage?.lowerResolution()) this.slowness = 0;
  }

  /** Only the open tab is kept up to date. */
  private showPanels(): void {
    if (this.tabs.current === 'plots') for (const chart of this.plots.charts) chart.showTime();
    else if (this.tabs.current === 'numerics') for (const chart of this.numerics) chart.showTime();
    else if (this.tabs.current === 'events') this.events.showTime();
  }

  /** Name and place of the selected body, beside it. */
  private showCard(): void {
    const body = this.stage?.selected ?? null;
    const place = body !== null ? this.stage?.project(body) : null;
    this.card.hidden = !place;
    if (!place || body === null || !this.stage) return;
    const { name, mass, text } = this.report.bodies[body];
    const [x, y, z] = this.stage.motion.position(body);
    const show = (v: number): string => number(v, 4);
    const where = this.stage.world.planar ? `${show(x)}, ${show(y)}` : `${show(x)}, ${show(y)}, ${show(z)}`;
    this.cardText.replaceChildren(
      make('strong', {}, name),
      make('span', {}, `at (${where}) m${mass !== undefined ? ` · ${number(mass, 5)} kg` : ''}`),
      text ? make('span', {}, text) : '',
    );
    this.card.style.transform = `translate(${Math.round(place.x + 14)}px, ${Math.round(place.y - 14)}px)`;
  }
}
