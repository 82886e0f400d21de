// Play, pause, speed, and the time slider with marks of events.

import { timeDigits } from '../format';
import type { Event } from '../report';
import type { Timeline } from '../timeline';
import { icon, iconButton, make } from './dom';

const speeds = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8];
/** Positions of the slider. */
const ticks = 10_000;

export class Transport {
  readonly element: HTMLElement;
  readonly slider: HTMLInputElement;
  private readonly play: HTMLButtonElement;
  private readonly clock = make('output', { class: 'clock', 'aria-hidden': 'true' });
  private readonly marks = make('div', { class: 'marks', 'aria-hidden': 'true' });
  private readonly speed: HTMLSelectElement;
  private readonly digits: number;
  private wasPlaying: boolean | null = null;

  constructor(
    private readonly timeline: Timeline,
    events: Event[],
  ) {
    const span = timeline.end - timeline.start;
    this.digits = timeDigits(span);
    this.play = iconButton('play', 'Play', () => timeline.setPlaying(!timeline.playing));
    this.play.classList.add('play');
    this.slider = make('input', {
      type: 'range',
      min: 0,
      max: ticks,
      step: 1,
      value: 0,
      'aria-label': 'Time',
      class: 'slider',
    });
    this.slider.disabled = span <= 0;
    this.slider.addEventListener('input', () => {
      timeline.setPlaying(false);
      timeline.set(timeline.start + (span * Number(this.slider.value)) / ticks);
    });
    if (span > 0)
      for (const event of events) {
        const mark = make('i', { title: `${event.name} at ${event.time.toPrecision(6)} s` });
        mark.style.left = `${(100 * (event.time - timeline.start)) / span}%`;
        this.marks.append(mark);
      }
    this.speed = make(
      'select',
      { 'aria-label': 'Speed of the replay', class: 'speed' },
      ...speeds.map((s) => make('option', { value: s, selected: s === 1 }, `${s}×`)),
    );
    this.speed.addEventListener('change', () => (timeline.speed = Number(this.speed.value)));
    const loop = iconButton('loop', 'Repeat at the end', () => {
      timeline.loop = !timeline.loop;
      loop.setAttribute('aria-pressed', String(timeline.loop));
    });
    loop.setAttribute('aria-pressed', String(timeline.loop));
    this.element = make(
      'div',
      { class: 'transport', role: 'group', 'aria-label': 'Replay' },
      iconButton('toStart', 'To the start', () => timeline.set(timeline.start)),
      this.play,
      make('div', { class: 'slider-box' }, this.marks, this.slider),
      this.clock,
      this.speed,
      loop,
    );
    this.chooseSpeed(span);
    this.showTime();
  }

  /** Very short and very long runs start with a speed at which something can be seen. */
  private chooseSpeed(span: number): void {
    const wanted = span < 0.5 ? span / 4 : span > 120 ? span / 60 : 1;
    const best = speeds.reduce((a, b) => (Math.abs(Math.log(b / wanted)) < Math.abs(Math.log(a / wanted)) ? b : a));
    this.speed.value = String(best);
    this.timeline.speed = best;
  }

  changeSpeed(step: 1 | -1): void {
    const at = speeds.indexOf(this.timeline.speed) + step;
    if (at < 0 || at >= speeds.length) return;
    this.timeline.speed = speeds[at];
    this.speed.value = String(speeds[at]);
  }

  showTime(): void {
    const { time, start, end, playing } = this.timeline;
    const span = end - start;
    const part = span > 0 ? (time - start) / span : 0;
    this.slider.value = String(Math.round(part * ticks));
    this.slider.style.setProperty('--part', `${100 * part}%`);
    const text = `${time.toFixed(this.digits)} s`;
    this.clock.textContent = text;
    if (this.slider.getAttribute('aria-valuetext') !== text && !playing)
      this.slider.setAttribute('aria-valuetext', text);
    if (playing !== this.wasPlaying) {
      this.wasPlaying = playing;
      const label = playing ? 'Pause' : 'Play';
      this.play.replaceChildren(icon(playing ? 'pause' : 'play'));
      this.play.setAttribute('aria-label', label);
      this.play.title = `${label} (space)`;
    }
  }
}
