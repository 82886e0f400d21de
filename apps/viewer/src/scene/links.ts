// Joints and force elements: glyphs at joints, rods, coils and dashpots between points.

import * as THREE from 'three';
import type { Force, Joint, Report } from '../report';
import * as geometry from './geometry';
import { instanced, writeSegment } from './instances';
import type { Materials } from './materials';
import type { Motion } from './motion';
import type { World } from './world';

/** Whether something between these bodies is seen. */
type Seen = (bodies: readonly number[]) => boolean;

interface Link {
  bodies: [number, number];
  points: ArrayLike<number>[];
  radius: number;
  /** The part of the way from the first to the second point that is drawn. */
  from: number;
  to: number;
}

/** Copies that reach from a point of one body to a point of another. */
class LinkBatch {
  readonly mesh: THREE.InstancedMesh;
  private readonly a = new Float64Array(3);
  private readonly b = new Float64Array(3);

  constructor(
    shape: THREE.BufferGeometry,
    material: THREE.Material,
    private readonly links: Link[],
  ) {
    this.mesh = instanced(shape, material, links.length);
    this.mesh.castShadow = true;
  }

  update(motion: Motion, seen: Seen): void {
    const out = this.mesh.instanceMatrix.array as Float32Array;
    const { a, b } = this;
    this.links.forEach((link, i) => {
      if (!seen(link.bodies)) {
        out.fill(0, 16 * i, 16 * i + 16);
        return;
      }
      motion.point(link.bodies[0], link.points[0], a);
      motion.point(link.bodies[1], link.points[1], b);
      for (let k = 0; k < 3; ++k) {
        const start = a[k];
        const way = b[k] - start;
        a[k] = start + link.from * way;
        b[k] = start + link.to * way;
      }
      writeSegment(out, 16 * i, a, 0, b, 0, link.radius);
    });
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}

/** A short piece along an axis of a body: hinges, sliders. */
interface Glyph {
  body: number;
  bodies: readonly number[];
  point: ArrayLike<number>;
  axis: ArrayLike<number>;
  radius: number;
  length: number;
  color: THREE.Color;
}

class GlyphBatch {
  readonly mesh: THREE.InstancedMesh;
  private readonly a = new Float64Array(3);
  private readonly b = new Float64Array(3);

  constructor(
    shape: THREE.BufferGeometry,
    material: THREE.Material,
    private readonly glyphs: Glyph[],
  ) {
    this.mesh = instanced(shape, material, glyphs.length);
    this.mesh.castShadow = true;
    glyphs.forEach((glyph, i) => this.mesh.setColorAt(i, glyph.color));
  }

  update(motion: Motion, seen: Seen): void {
    const out = this.mesh.instanceMatrix.array as Float32Array;
    const { a, b } = this;
    this.glyphs.forEach((glyph, i) => {
      if (!seen(glyph.bodies)) {
        out.fill(0, 16 * i, 16 * i + 16);
        return;
      }
      motion.point(glyph.body, glyph.point, a);
      motion.direction(glyph.body, glyph.axis, b);
      const n = glyph.length / (2 * Math.hypot(b[0], b[1], b[2]) || 1);
      for (let k = 0; k < 3; ++k) {
        const half = n * b[k];
        b[k] = a[k] + half;
        a[k] -= half;
      }
      writeSegment(out, 16 * i, a, 0, b, 0, glyph.radius);
    });
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}

const jointColor = new THREE.Color('#8f99a4');
const redundantColor = new THREE.Color('#d9902f');
const springColor = '#aab3bc';

const origin = [0, 0, 0];
const axisZ = [0, 0, 1];

export class Links {
  readonly joints = new THREE.Group();
  readonly forces = new THREE.Group();
  private readonly batches: { update(motion: Motion, seen: Seen): void }[] = [];

  constructor(
    report: Report,
    private readonly motion: Motion,
    world: World,
    private readonly materials: Materials,
    private readonly seen: Seen,
  ) {
    this.makeJoints(report.header.joints ?? [], world);
    this.makeForces(report.header.forces ?? [], world);
  }

  private makeJoints(joints: Joint[], world: World): void {
    const metal = this.materials.surface({ roughness: 0.4, metalness: 0.3 });
    // Glyphs shrink where there are many joints.
    const unit = world.size * Math.min(0.013, 0.05 / Math.sqrt(Math.max(joints.length, 1)));
    const balls: Glyph[] = [];
    const pins: Glyph[] = [];
    const blocks: Glyph[] = [];
    const rods: Link[] = [];
    for (const joint of joints) {
      const color = joint.redundant ? redundantColor : jointColor;
      const body = joint.bodies[0] > 0 ? joint.bodies[0] : joint.bodies[1];
      const side = body === joint.bodies[0] ? 0 : 1;
      const point = joint.points[side] ?? origin;
      const axis = joint.axes?.[side] ?? axisZ;
      const glyph = { body, bodies: joint.bodies, point, axis, color };
      if (joint.draw === 'rod') {
        const points = [joint.points[0] ?? origin, joint.points[1] ?? origin];
        rods.push({ bodies: joint.bodies, points, radius: 0.5 * unit, from: 0, to: 1 });
        joint.bodies.forEach((end, k) =>
          balls.push({ body: end, bodies: joint.bodies, point: points[k], axis, color, radius: 0.85 * unit, length: 0.85 * unit }),
        );
      } else if (joint.draw === 'pin') {
        pins.push({ ...glyph, radius: unit, length: 3.6 * unit });
      } else if (joint.draw === 'block') {
        blocks.push({ ...glyph, radius: 1.6 * unit, length: 4 * unit });
      } else if (joint.draw !== 'none') {
        balls.push({ ...glyph, radius: 1.3 * unit, length: 1.3 * unit });
      }
    }
    this.put(this.joints, balls, (list) => new GlyphBatch(centredSphere(), metal, list));
    this.put(this.joints, pins, (list) => new GlyphBatch(geometry.rod(20), metal, list));
    const block = geometry.box().translate(0, 0, 0.5);
    this.put(this.joints, blocks, (list) => new GlyphBatch(block, metal, list));
    const rodMaterial = this.materials.surface({ color: '#9aa3ad', roughness: 0.4, metalness: 0.3 });
    this.put(this.joints, rods, (list) => new LinkBatch(geometry.rod(), rodMaterial, list));
  }

  private makeForces(forces: Force[], world: World): void {
    const coils = new Map<number, Link[]>();
    const rods: Link[] = [];
    const a = new Float64Array(3);
    const b = new Float64Array(3);
    for (const force of forces) {
      const { bodies, draw } = force;
      const points = [force.points?.[0] ?? origin, force.points?.[1] ?? origin];
      this.motion.point(bodies[0], points[0], a);
      this.motion.point(bodies[1], points[1], b);
      const length = Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
      const radius = Math.min(length / 4, 0.022 * world.size) || 0.01 * world.size;
      const rod = (from: number, to: number, r: number): void => {
        rods.push({ bodies, points, radius: r, from, to });
      };
      if (draw === 'coil') {
        const off = (aspect: number): number => Math.abs(Math.log((aspect * radius) / length));
        const aspect = geometry.coilAspects.reduce((best, other) => (off(other) < off(best) ? other : best));
        coils.set(aspect, [...(coils.get(aspect) ?? []), { bodies, points, radius, from: 0, to: 1 }]);
      }
      if (draw === 'line') rod(0, 1, 0.0025 * world.size);
      else if (draw === 'damper') {
        rod(0, 0.6, 0.12 * radius);
        rod(0.45, 0.85, 0.5 * radius);
        rod(0.85, 1, 0.12 * radius);
      }
    }
    const steel = this.materials.surface({ color: springColor, roughness: 0.35, metalness: 0.45 });
    const detail = forces.length > 40 || this.materials.effort === 'low' ? 'coarse' : 'fine';
    for (const [aspect, list] of coils)
      this.put(this.forces, list, () => new LinkBatch(geometry.coil(detail, aspect), steel, list));
    this.put(this.forces, rods, (list) => new LinkBatch(geometry.rod(), steel, list));
  }

  private put<T>(
    group: THREE.Group,
    list: T[],
    build: (list: T[]) => { mesh: THREE.Object3D; update(motion: Motion, seen: Seen): void },
  ): void {
    if (list.length === 0) return;
    const batch = build(list);
    this.batches.push(batch);
    group.add(batch.mesh);
  }

  update(): void {
    for (const batch of this.batches) batch.update(this.motion, this.seen);
  }
}

/** A sphere of which the matrix of a segment as long as the radius makes a ball in its middle. */
function centredSphere(): THREE.BufferGeometry {
  return geometry.sphere('coarse').translate(0, 0, 0.5);
}
