// Force arrows at their points of attack, and the paths of points.

import * as THREE from 'three';
import { Line2 } from 'three/examples/jsm/lines/Line2.js';
import { LineGeometry } from 'three/examples/jsm/lines/LineGeometry.js';
import { LineMaterial } from 'three/examples/jsm/lines/LineMaterial.js';
import type { Arrow, Numbers, Report } from '../report';
import { between } from '../timeline';
import * as geometry from './geometry';
import { instanced, writeSegment } from './instances';
import type { Materials } from './materials';
import type { Motion } from './motion';
import type { World } from './world';

export const arrowColors: Record<Arrow['kind'], string> = {
  contact: '#e5533d',
  reaction: '#3f7de0',
  force: '#2f9e6e',
};

/** Arrows shorter than this part of the longest are not drawn. */
const shortest = 0.004;

/** All arrows of one kind. */
export class Arrows {
  readonly group = new THREE.Group();
  scale = 1;
  private readonly shafts: THREE.InstancedMesh;
  private readonly heads: THREE.InstancedMesh;
  private readonly arrows: Arrow[];
  private readonly vectors: { values: Numbers; stride: number; column: number }[];
  private readonly largest: number;
  private readonly p = new Float64Array(3);
  private readonly q = new Float64Array(3);
  private readonly r = new Float64Array(3);

  constructor(
    private readonly report: Report,
    private readonly motion: Motion,
    private readonly world: World,
    readonly kind: Arrow['kind'],
    materials: Materials,
  ) {
    this.arrows = (report.header.arrows ?? []).filter((arrow) => arrow.kind === kind);
    this.vectors = this.arrows.map((arrow) => ({
      values: report.array(arrow.array) ?? new Float32Array(0),
      stride: report.stride(arrow.array),
      column: arrow.column ?? 0,
    }));
    this.largest = Math.max(0, ...this.vectors.map(largestLength));
    const look = { color: arrowColors[kind], emissive: arrowColors[kind], emissiveIntensity: 0.25 };
    const material = materials.surface(look);
    // What lies behind or inside a body is seen faintly.
    const hidden = materials.surface({
      ...look,
      transparent: true,
      opacity: 0.45,
      depthFunc: THREE.GreaterDepth,
      depthWrite: false,
    });
    this.shafts = instanced(geometry.rod(12), material, this.arrows.length);
    this.heads = instanced(geometry.cone(), material, this.arrows.length);
    this.group.add(this.shafts, this.heads);
    for (const mesh of [this.shafts, this.heads]) {
      const behind = instanced(mesh.geometry, hidden, this.arrows.length);
      behind.instanceMatrix = mesh.instanceMatrix;
      behind.renderOrder = 1;
      this.group.add(behind);
    }
  }

  get count(): number {
    return this.arrows.length;
  }
  /** The largest force of the run [N]. */
  get maximum(): number {
    return this.largest;
  }

  update(time: number): void {
    if (!this.group.visible || this.largest === 0) return;
    const { frame, fraction } = between(this.report.times, time);
    const shafts = this.shafts.instanceMatrix.array as Float32Array;
    const heads = this.heads.instanceMatrix.array as Float32Array;
    const full = 0.34 * this.world.size;
    const { p, q, r } = this;
    for (let i = 0; i < this.arrows.length; ++i) {
      const arrow = this.arrows[i];
      const { values, stride, column } = this.vectors[i];
      const at = frame * stride + column;
      const next = this.report.times.length > 1 ? at + stride : at;
      let size = 0;
      for (let k = 0; k < 3; ++k) {
        q[k] = (1 - fraction) * values[at + k] + fraction * values[next + k];
        size += q[k] * q[k];
      }
      size = Math.sqrt(size); // not a number where the force is not known
      this.motion.point(arrow.body, arrow.at, p);
      const length = (this.scale * full * size) / this.largest;
      const radius = 0.0055 * this.world.size * Math.min(1, 0.35 + length / full);
      const head = Math.min(5.5 * radius, 0.6 * length);
      const drawn = size > shortest * this.largest ? 1 / size : 0;
      for (let k = 0; k < 3; ++k) {
        const direction = drawn > 0 ? q[k] * drawn : 0;
        p[k] -= direction * (arrow.lift ?? 0);
        r[k] = p[k] + direction * length;
        q[k] = p[k] + direction * (length - head);
      }
      writeSegment(shafts, 16 * i, p, 0, q, 0, radius);
      writeSegment(heads, 16 * i, q, 0, r, 0, 2.3 * radius);
    }
    this.shafts.instanceMatrix.needsUpdate = true;
    this.heads.instanceMatrix.needsUpdate = true;
  }
}

function largestLength(vectors: { values: Numbers; stride: number; column: number }): number {
  const { values, stride, column } = vectors;
  let largest = 0;
  for (let i = column; i + 2 < values.length; i += stride) {
    const size = Math.hypot(values[i], values[i + 1], values[i + 2]);
    if (size > largest) largest = size;
  }
  return largest;
}

/** The path of one point: the whole of it faint, the past in full colour. */
export class Trail {
  readonly group = new THREE.Group();
  private readonly past: Line2;
  private readonly segments: number;

  constructor(
    private readonly report: Report,
    motion: Motion,
    readonly name: string,
    readonly body: number,
    point: ArrayLike<number>,
    color: string,
  ) {
    const path = motion.path(body, point);
    this.segments = Math.max(path.length / 3 - 1, 0);
    const line = (opacity: number, width: number): Line2 => {
      const shape = new LineGeometry().setPositions(path);
      const material = new LineMaterial({
        color,
        linewidth: width,
        transparent: true,
        opacity,
        depthWrite: false, // the faint line lies under the strong one
      });
      const made = new Line2(shape, material);
      made.frustumCulled = false;
      return made;
    };
    this.past = line(0.95, 2.25);
    this.group.add(line(0.28, 1.25), this.past);
  }

  update(time: number): void {
    if (!this.group.visible) return;
    const { frame, fraction } = between(this.report.times, time);
    this.past.geometry.instanceCount = Math.min(Math.round(frame + fraction), this.segments);
  }

  dispose(): void {
    for (const child of this.group.children as Line2[]) {
      child.geometry.dispose();
      child.material.dispose();
    }
  }
}
