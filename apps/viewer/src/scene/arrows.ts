// Force arrows at their points of attack, and the paths of points.

import * as THREE from 'three';
import { Line2 } from 'three/examples/jsm/lines/Line2.js';
import { LineGeometry } from 'three/examples/jsm/lines/LineGeometry.js';
import { LineMaterial } from 'three/examples/jsm/lines/LineMaterial.js';
import type { Arrow, Numbers, Report } from '../report';
import { between } from '../timeline';
import * as geometry from './geometry';
import { instanced, writeSegment } from './instances';
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
  private readonly points: Numbers[];
  private readonly vectors: Numbers[];
  private readonly largest: number;
  private readonly p = new Float64Array(3);
  private readonly q = new Float64Array(3);
  private readonly r = new Float64Array(3);

  constructor(
    private readonly report: Report,
    private readonly world: World,
    readonly kind: Arrow['kind'],
  ) {
    const arrows = (report.header.arrows ?? []).filter((arrow) => arrow.kind === kind);
    const empty = new Float32Array(0);
    this.points = arrows.map((arrow) => report.array(arrow.point) ?? empty);
    this.vectors = arrows.map((arrow) => report.array(arrow.vector) ?? empty);
    this.largest = Math.max(0, ...this.vectors.map(largestLength));
    const material = new THREE.MeshStandardMaterial({
      color: arrowColors[kind],
      roughness: 0.6,
      emissive: arrowColors[kind],
      emissiveIntensity: 0.25,
    });
    this.shafts = instanced(geometry.rod(12), material, arrows.length);
    this.heads = instanced(geometry.cone(), material, arrows.length);
    this.group.add(this.shafts, this.heads);
  }

  get count(): number {
    return this.points.length;
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
    const next = this.report.times.length > 1 ? 3 : 0;
    const { p, q, r } = this;
    for (let i = 0; i < this.points.length; ++i) {
      const point = this.points[i];
      const vector = this.vectors[i];
      const at = 3 * frame;
      let size = 0;
      for (let k = 0; k < 3; ++k) {
        p[k] = (1 - fraction) * point[at + k] + fraction * point[at + next + k];
        q[k] = (1 - fraction) * vector[at + k] + fraction * vector[at + next + k];
        size += q[k] * q[k];
      }
      size = Math.sqrt(size);
      const length = (this.scale * full * size) / this.largest;
      const radius = 0.0055 * this.world.size * Math.min(1, 0.35 + length / full);
      const head = Math.min(5.5 * radius, 0.6 * length);
      const drawn = size > shortest * this.largest ? 1 / size : 0;
      for (let k = 0; k < 3; ++k) {
        const direction = q[k] * drawn;
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

function largestLength(vectors: Numbers): number {
  let largest = 0;
  for (let i = 0; i + 2 < vectors.length; i += 3)
    largest = Math.max(largest, Math.hypot(vectors[i], vectors[i + 1], vectors[i + 2]));
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
      const material = new LineMaterial({ color, linewidth: width, transparent: true, opacity });
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
