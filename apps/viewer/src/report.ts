// What a report carries (docs/report-format.md), and how it is read from the page.

export type Vec3 = [number, number, number];
export type Quat = [number, number, number, number]; // w x y z
export type Numbers = Float32Array | Float64Array;

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
  text?: string;
  shapes?: Shape[];
}

export interface Joint {
  name: string;
  type: string;
  bodies: [number, number];
  points: [Vec3, Vec3];
  axes?: [Vec3, Vec3] | null;
  redundant?: boolean;
}

export interface Force {
  name: string;
  type: string;
  draw: 'coil' | 'damper' | 'line' | 'torsion' | 'none';
  bodies: [number, number];
  points: [Vec3, Vec3];
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

export interface Arrow {
  name: string;
  kind: 'contact' | 'reaction' | 'force';
  body: number;
  point: string;
  vector: string;
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
  verdict?: { ok: boolean; reason?: string; sentences?: string[] };
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
  steps?: { time: string; size: string; error?: string; rejected?: string; rejected_size?: string };
  residuals?: { time: string; position?: string; velocity?: string; acceleration?: string };
  energy?: { time: string; kinetic?: string; potential?: string; work?: string; balance?: string };
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
    const entry = this.header.arrays?.[name];
    if (!entry) throw new Error(`the data has no array "${name}"`);
    const length = entry.shape.reduce((a, b) => a * b, 1);
    const bytes = length * (entry.type === 'f64' ? 8 : 4);
    if (entry.offset + bytes > this.data.byteLength)
      throw new Error(`array "${name}" ends behind the data`);
    // A copy, since an offset need not be a multiple of the size of a number.
    const part = this.data.slice(entry.offset, entry.offset + bytes);
    return entry.type === 'f64' ? new Float64Array(part) : new Float32Array(part);
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
