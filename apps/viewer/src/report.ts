// What a report carries (docs/look-up/report-format.md), and how it is read from the page.

export type Vec3 = [number, number, number];
export type Quat = [number, number, number, number]; // w x y z
export type Numbers = Float32Array | Float64Array;

/** green: nothing is remarked; amber: something should be known; red: failed, or refuted. */
export type Colour = 'green' | 'amber' | 'red';

export interface Verdict {
  ok: boolean;
  colour?: Colour;
  reason?: string;
  sentences?: string[];
  /** Among the sentences: what may not be meant, although the run is good. */
  warnings?: string[];
}

/** How a verdict is shown: class, icon and word. */
export function seal(verdict: Verdict): { tone: string; icon: 'check' | 'cross' | 'note'; word: string } {
  if (!verdict.ok) return { tone: 'bad', icon: 'cross', word: verdict.reason === 'refuted' ? 'Refuted' : 'Failed' };
  if (verdict.colour === 'amber') return { tone: 'fair', icon: 'note', word: 'Finished, with remarks' };
  return { tone: 'good', icon: 'check', word: 'Finished' };
}

export interface Shape {
  type: 'box' | 'cylinder' | 'sphere' | 'capsule' | 'line' | 'polyline' | 'mesh' | 'plane';
  size?: number[];
  points?: Vec3[];
  faces?: number[][];
  radius?: number;
  position?: Vec3;
  quaternion?: Quat;
  color?: string;
  default?: boolean;
}

export interface Body {
  name: string;
  fixed?: boolean;
  mass?: number;
  color?: string;
  text?: string;
  shapes?: Shape[];
}

export interface Joint {
  name: string;
  type: string;
  bodies: [number, number];
  points: [Vec3, Vec3];
  axes?: [Vec3, Vec3] | null;
  draw?: 'ball' | 'pin' | 'block' | 'rod' | 'none';
  redundant?: boolean;
}

export interface Force {
  name: string;
  type: string;
  draw: 'coil' | 'damper' | 'line' | 'torsion' | 'none';
  silhouette?: 'wheel' | 'ball';
  bodies: [number, number];
  points: [Vec3, Vec3];
  radius?: number;
}

export interface Surface {
  name: string;
  kind: 'plane' | 'road' | 'sphere';
  points?: Vec3[];
  width?: number;
  point?: Vec3;
  normal?: Vec3;
  center?: Vec3;
  radius?: number;
}

/** A series: an array, or a column of one (the first of its three columns, for a vector). */
export type SeriesName = string | { array: string; column?: number };

/** The force on a body, at a point of it; `lift` moves the arrow back along the force, into the contact. */
export interface Arrow {
  name: string;
  kind: 'contact' | 'reaction' | 'force';
  body: number;
  at: Vec3;
  lift?: number;
  array: string;
  column?: number;
}

export interface TracedPoint {
  name: string;
  body: number;
  point: Vec3;
}

export interface Quantity {
  name: string;
  unit?: string;
  group?: string;
  array: string;
  column?: number;
}

export interface Event {
  time: number;
  name: string;
  what?: string;
  direction?: string;
}

export interface TreeNode {
  name: string;
  kind?: string;
  text?: string;
  children?: TreeNode[];
}

export interface Header {
  format: number;
  generator?: string;
  title: string;
  subtitle?: string;
  verdict?: Verdict;
  certificate?: Record<string, unknown>;
  dimension?: 2 | 3;
  gravity?: number[];
  length_scale?: number;
  bodies?: Body[];
  joints?: Joint[];
  forces?: Force[];
  surfaces?: Surface[];
  arrows?: Arrow[];
  points?: TracedPoint[];
  times?: string;
  poses?: string;
  quantities?: Quantity[];
  steps?: {
    time: SeriesName;
    size: SeriesName;
    error?: SeriesName;
    rejected?: SeriesName;
    rejected_size?: SeriesName;
    merged?: number;
  };
  residuals?: { time: SeriesName; position?: SeriesName; velocity?: SeriesName; acceleration?: SeriesName };
  energy?: {
    time: SeriesName;
    kinetic?: SeriesName;
    potential?: SeriesName;
    work?: SeriesName;
    balance?: SeriesName;
  };
  events?: Event[];
  tree?: TreeNode;
  arrays?: Record<string, { type: 'f32' | 'f64'; offset: number; shape: number[] }>;
}

/** The newest format this viewer reads. */
const knownFormat = 1;

export class Report {
  readonly times: Numbers;
  readonly poses: Numbers | null;
  readonly bodies: Body[];
  private readonly decoded = new Map<string, Numbers>();

  constructor(
    readonly header: Header,
    private readonly data: ArrayBuffer,
  ) {
    this.times = this.array(header.times) ?? new Float64Array(0);
    this.bodies = header.bodies ?? [];
    const poses = this.array(header.poses);
    const wanted = this.times.length * this.bodies.length * 7;
    if (poses && poses.length !== wanted)
      throw new Error(`poses has ${poses.length} numbers, ${wanted} are wanted`);
    this.poses = this.bodies.length > 0 && this.times.length > 0 ? poses : null;
  }

  /** An array of the data by its name; null where the report has none. */
  array(name: string | undefined): Numbers | null {
    if (name === undefined) return null;
    const known = this.decoded.get(name);
    if (known) return known;
    const entry = this.header.arrays?.[name];
    if (!entry) throw new Error(`the data has no array "${name}"`);
    const length = entry.shape.reduce((a, b) => a * b, 1);
    const bytes = length * (entry.type === 'f64' ? 8 : 4);
    if (entry.offset + bytes > this.data.byteLength)
      throw new Error(`array "${name}" ends behind the data`);
    // A copy, since an offset need not be a multiple of the size of a number.
    const part = this.data.slice(entry.offset, entry.offset + bytes);
    const numbers = entry.type === 'f64' ? new Float64Array(part) : new Float32Array(part);
    this.decoded.set(name, numbers);
    return numbers;
  }

  /** A series, one number per frame or step; null where the report has none. */
  series(name: SeriesName | undefined): Numbers | null {
    if (name === undefined || typeof name === 'string') return this.array(name);
    const all = this.array(name.array);
    const stride = this.stride(name.array);
    if (!all || stride === 1) return all;
    const column = name.column ?? 0;
    const values = new (all.constructor as Float32ArrayConstructor)(all.length / stride);
    for (let i = 0; i < values.length; ++i) values[i] = all[i * stride + column];
    return values;
  }

  /** How many numbers an array has per frame. */
  stride(name: string): number {
    const shape = this.header.arrays?.[name]?.shape ?? [];
    return shape.slice(1).reduce((a, b) => a * b, 1);
  }

  get startTime(): number {
    return this.times.length > 0 ? this.times[0] : 0;
  }
  get endTime(): number {
    return this.times.length > 0 ? this.times[this.times.length - 1] : 0;
  }
}

function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function unzip(bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}

/** The report of this page; null where the page is the viewer alone. */
export async function readReport(): Promise<Report | null> {
  const headerText = document.getElementById('kardan-report')?.textContent;
  if (!headerText) return null;
  const header = JSON.parse(headerText) as Header;
  if (!(header.format <= knownFormat))
    throw new Error(`the report has format ${header.format}; this viewer reads up to ${knownFormat}`);
  const element = document.getElementById('kardan-data');
  const text = element?.textContent?.trim() ?? '';
  const data = text ? await unzip(bytesOfBase64(text)) : new ArrayBuffer(0);
  element?.remove(); // the text is as large as the data; let it go
  return new Report(header, data);
}
