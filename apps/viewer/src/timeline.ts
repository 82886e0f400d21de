// The one time that replay, slider and plots show.

export interface Window {
  from: number;
  to: number;
}

export class Timeline {
  time: number;
  playing = false;
  speed = 1;
  loop = true;
  /** A second time, to compare with; null for none. */
  reference: number | null = null;
  /** The stretch that plots are zoomed to, and that the replay then repeats; null for all. */
  window: Window | null = null;
  private listeners: (() => void)[] = [];
  private windowListeners: (() => void)[] = [];

  constructor(
    readonly start: number,
    readonly end: number,
    /** The times of the rows of the report. */
    readonly times: ArrayLike<number> = [],
  ) {
    this.time = start;
  }

  /** Calls the listener when the window changes, until the answer is called. */
  onWindow(listener: () => void): () => void {
    this.windowListeners.push(listener);
    return () => (this.windowListeners = this.windowListeners.filter((l) => l !== listener));
  }

  setWindow(window: Window | null): void {
    if (window?.from === this.window?.from && window?.to === this.window?.to) return;
    this.window = window;
    for (const listener of this.windowListeners) listener();
  }

  /** Sets the time to compare with; the same time again, or null, for none. */
  compareWith(time: number | null): void {
    this.reference = time === null ? null : Math.min(Math.max(time, this.start), this.end);
    this.changed();
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }

  set(time: number): void {
    const inside = Math.min(Math.max(time, this.start), this.end);
    if (inside === this.time) return;
    this.time = inside;
    this.changed();
  }

  setPlaying(playing: boolean): void {
    if (playing === this.playing) return;
    this.playing = playing && this.end > this.start;
    if (this.playing && this.time >= this.last) this.time = this.first;
    this.changed();
  }

  /** Where the replay begins and ends: the window, as far as the report goes. */
  get first(): number {
    return Math.min(Math.max(this.window?.from ?? this.start, this.start), this.end);
  }
  get last(): number {
    return Math.min(Math.max(this.window?.to ?? this.end, this.start), this.end);
  }

  /** Moves on by the seconds that passed on the wall. */
  advance(seconds: number): void {
    if (!this.playing) return;
    let next = this.time + seconds * this.speed;
    if (next >= this.last) {
      if (this.loop) {
        // The end is seen for a moment before the replay starts again.
        next = this.time < this.last ? this.last : this.first;
      } else {
        next = this.last;
        this.playing = false;
      }
    }
    this.time = next;
    this.changed();
  }
}

/** The first index with values[index] > value. */
export function upperIndex(values: ArrayLike<number>, value: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Where a time lies between frames: the frame before it and the fraction of the way to the next. */
export function between(times: ArrayLike<number>, time: number): { frame: number; fraction: number } {
  const last = times.length - 1;
  const frame = Math.min(Math.max(upperIndex(times, time) - 1, 0), Math.max(last - 1, 0));
  const span = last > 0 ? times[frame + 1] - times[frame] : 0;
  const fraction = span > 0 ? Math.min(Math.max((time - times[frame]) / span, 0), 1) : last > 0 ? 1 : 0;
  return { frame, fraction };
}
