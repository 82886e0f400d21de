// Pictures and films of the replay, as the browser can make them.

import type { Timeline } from '../timeline';
import { download, fileName } from './dom';

/** The first format that the browser can record, MP4 before WebM. */
export function filmFormat(): { type: string; ending: string } | null {
  if (typeof MediaRecorder === 'undefined') return null;
  const formats = [
    { type: 'video/mp4;codecs=avc1', ending: 'mp4' },
    { type: 'video/mp4', ending: 'mp4' },
    { type: 'video/webm;codecs=vp9', ending: 'webm' },
    { type: 'video/webm', ending: 'webm' },
  ];
  return formats.find((format) => MediaRecorder.isTypeSupported(format.type)) ?? null;
}

/** Records the replay once, from its first to its last time, at the speed chosen. */
export class Recorder {
  onChange: (recording: boolean) => void = () => {};
  private recorder: MediaRecorder | null = null;
  private looped = true;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly timeline: Timeline,
    private readonly title: string,
  ) {
    timeline.onChange(() => {
      if (this.recorder && (!timeline.playing || timeline.time >= timeline.last)) this.stop();
    });
  }

  get recording(): boolean {
    return this.recorder !== null;
  }

  start(): void {
    const format = filmFormat();
    if (!format || this.recorder) return;
    const parts: Blob[] = [];
    const recorder = new MediaRecorder(this.canvas.captureStream(60), { mimeType: format.type, videoBitsPerSecond: 12e6 });
    recorder.addEventListener('dataavailable', (event) => parts.push(event.data));
    recorder.addEventListener('stop', () => {
      download(fileName(this.title, `replay.${format.ending}`), new Blob(parts, { type: format.type }));
      this.onChange(false);
    });
    this.looped = this.timeline.loop;
    this.timeline.loop = false;
    this.timeline.set(this.timeline.first);
    this.timeline.setPlaying(true);
    this.recorder = recorder;
    recorder.start();
    this.onChange(true);
  }

  stop(): void {
    const { recorder } = this;
    this.recorder = null;
    this.timeline.loop = this.looped;
    if (recorder && recorder.state !== 'inactive') recorder.stop();
  }
}
