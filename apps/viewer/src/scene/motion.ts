// Where every body is at a time: poses between the stored frames.

import type { Numbers, Report, Vec3 } from '../report';
import { between } from '../timeline';

/** Below this cosine between neighbouring orientations the chord differs visibly from the arc. */
const nearlyParallel = 0.9995;

export class Motion {
  readonly count: number;
  /** The poses at the time of the last update, as 4x4 matrices by columns. */
  readonly matrices: Float64Array;
  private readonly poses: Numbers;
  private readonly times: Numbers;

  constructor(report: Report) {
    this.count = report.bodies.length;
    this.poses = report.poses ?? new Float32Array(0);
    this.times = report.times;
    this.matrices = new Float64Array(16 * this.count);
    if (report.poses) this.update(report.startTime);
  }

  update(time: number): void {
    const { frame, fraction } = between(this.times, time);
    const p = this.poses;
    const next = this.times.length > 1 ? 7 * this.count : 0;
    for (let body = 0; body < this.count; ++body) {
      const a = 7 * (frame * this.count + body);
      const b = a + next;
      let wa = 1 - fraction;
      let wb = fraction;
      const x = wa * p[a] + wb * p[b];
      const y = wa * p[a + 1] + wb * p[b + 1];
      const z = wa * p[a + 2] + wb * p[b + 2];
      let cosine =
        p[a + 3] * p[b + 3] + p[a + 4] * p[b + 4] + p[a + 5] * p[b + 5] + p[a + 6] * p[b + 6];
      const sign = cosine < 0 ? -1 : 1; // q and -q are the same orientation
      cosine *= sign;
      if (cosine < nearlyParallel) {
        const angle = Math.acos(cosine);
        wa = Math.sin(wa * angle) / Math.sin(angle);
        wb = Math.sin(wb * angle) / Math.sin(angle);
      }
      wb *= sign;
      const qw = wa * p[a + 3] + wb * p[b + 3];
      const qx = wa * p[a + 4] + wb * p[b + 4];
      const qy = wa * p[a + 5] + wb * p[b + 5];
      const qz = wa * p[a + 6] + wb * p[b + 6];
      writePose(this.matrices, 16 * body, x, y, z, qw, qx, qy, qz);
    }
  }

  /** A point of a body, in the world. */
  point(body: number, local: ArrayLike<number>, out: Float64Array | number[], at = 0): void {
    transform(this.matrices, 16 * body, local[0], local[1], local[2], 1, out, at);
  }

  /** A direction of a body, in the world. */
  direction(body: number, local: ArrayLike<number>, out: Float64Array | number[], at = 0): void {
    transform(this.matrices, 16 * body, local[0], local[1], local[2], 0, out, at);
  }

  position(body: number): Vec3 {
    const m = this.matrices;
    const i = 16 * body + 12;
    return [m[i], m[i + 1], m[i + 2]];
  }

  /** The angle by which a body is turned about an axis of the world (the twist of its rotation). */
  heading(body: number, axis: { x: number; y: number; z: number }): number {
    const m = this.matrices;
    const i = 16 * body;
    // Two parts of the quaternion, from the matrix (times 4 w, or times 4 of the part along the axis).
    const trace = m[i] + m[i + 5] + m[i + 10];
    const along = axis.x * (m[i + 6] - m[i + 9]) + axis.y * (m[i + 8] - m[i + 2]) + axis.z * (m[i + 1] - m[i + 4]);
    return 2 * Math.atan2(along, 1 + trace);
  }

  /** The paths of points of a body, frame by frame: over all frames, or over some, evenly chosen. */
  paths(body: number, points: ArrayLike<number>[], frames = this.times.length): Float32Array {
    const all = this.times.length;
    const n = Math.min(frames, all);
    const paths = new Float32Array(3 * n * points.length);
    const matrix = new Float64Array(16);
    const p = this.poses;
    let at = 0;
    for (let i = 0; i < n; ++i) {
      const frame = n > 1 ? Math.round((i * (all - 1)) / (n - 1)) : 0;
      const a = 7 * (frame * this.count + body);
      writePose(matrix, 0, p[a], p[a + 1], p[a + 2], p[a + 3], p[a + 4], p[a + 5], p[a + 6]);
      for (const point of points) {
        transform(matrix, 0, point[0], point[1], point[2], 1, paths, at);
        at += 3;
      }
    }
    return paths;
  }

  path(body: number, point: ArrayLike<number>, frames?: number): Float32Array {
    return this.paths(body, [point], frames);
  }
}

function transform(
  m: Float64Array,
  at: number,
  x: number,
  y: number,
  z: number,
  w: number,
  out: Float64Array | Float32Array | number[],
  o: number,
): void {
  out[o] = m[at] * x + m[at + 4] * y + m[at + 8] * z + m[at + 12] * w;
  out[o + 1] = m[at + 1] * x + m[at + 5] * y + m[at + 9] * z + m[at + 13] * w;
  out[o + 2] = m[at + 2] * x + m[at + 6] * y + m[at + 10] * z + m[at + 14] * w;
}

/** The matrix of a pose; the quaternion need not have length 1. */
export function writePose(
  m: Float64Array,
  at: number,
  x: number,
  y: number,
  z: number,
  qw: number,
  qx: number,
  qy: number,
  qz: number,
): void {
  const s = 2 / (qw * qw + qx * qx + qy * qy + qz * qz || 1);
  m[at] = 1 - s * (qy * qy + qz * qz);
  m[at + 1] = s * (qx * qy + qw * qz);
  m[at + 2] = s * (qx * qz - qw * qy);
  m[at + 3] = 0;
  m[at + 4] = s * (qx * qy - qw * qz);
  m[at + 5] = 1 - s * (qx * qx + qz * qz);
  m[at + 6] = s * (qy * qz + qw * qx);
  m[at + 7] = 0;
  m[at + 8] = s * (qx * qz + qw * qy);
  m[at + 9] = s * (qy * qz - qw * qx);
  m[at + 10] = 1 - s * (qx * qx + qy * qy);
  m[at + 11] = 0;
  m[at + 12] = x;
  m[at + 13] = y;
  m[at + 14] = z;
  m[at + 15] = 1;
}
