// Directions and sizes of a model: where up is, how large it is, where its floor lies.

import * as THREE from 'three';
import type { Report, Shape, Vec3 } from '../report';
import { Motion, writePose } from './motion';

export interface World {
  planar: boolean;
  up: THREE.Vector3;
  /** Horizontal directions: right and away, so that right x away = up. */
  right: THREE.Vector3;
  away: THREE.Vector3;
  /** Largest extent of the moving bodies at the start. */
  size: number;
  /** Height along `up` of the floor; bodies stay above it. */
  floor: number;
  /** Outermost points of the bodies: at the start, and over the whole motion. */
  startPoints: Float32Array;
  allPoints: Float32Array;
  /** How far each body's origin travels, start to farthest. */
  travel: number[];
  /** Size of each body's shapes. */
  bodySizes: number[];
}

/** Corners of a shape's box in the frame of its body. */
export function corners(shape: Shape): Vec3[] {
  const s = shape.size ?? [];
  let half: Vec3 = [0, 0, 0];
  if (shape.points && shape.points.length > 0) return shape.points.map((p) => placed(shape, p));
  if (shape.type === 'box') half = [s[0] / 2, s[1] / 2, s[2] / 2];
  else if (shape.type === 'cylinder') half = [s[0], s[0], s[1] / 2];
  else if (shape.type === 'capsule') half = [s[0], s[0], s[1] / 2 + s[0]];
  else if (shape.type === 'sphere') half = [s[0], s[0], s[0]];
  else if (shape.type === 'plane' && s.length > 1) half = [s[0] / 2, s[1] / 2, 0];
  else return [];
  const out: Vec3[] = [];
  for (const x of [-1, 1])
    for (const y of [-1, 1])
      for (const z of [-1, 1]) out.push(placed(shape, [x * half[0], y * half[1], z * half[2]]));
  return out;
}

function placed(shape: Shape, p: Vec3): Vec3 {
  const m = localMatrix(shape);
  return [
    m[0] * p[0] + m[4] * p[1] + m[8] * p[2] + m[12],
    m[1] * p[0] + m[5] * p[1] + m[9] * p[2] + m[13],
    m[2] * p[0] + m[6] * p[1] + m[10] * p[2] + m[14],
  ];
}

/** A shape's frame in its body, with its axes scaled. */
export function localMatrix(shape: Shape, scale: Vec3 = [1, 1, 1]): Float64Array {
  const m = new Float64Array(16);
  const [x, y, z] = shape.position ?? [0, 0, 0];
  const [w, i, j, k] = shape.quaternion ?? [1, 0, 0, 0];
  writePose(m, 0, x, y, z, w, i, j, k);
  for (let row = 0; row < 3; ++row) {
    m[row] *= scale[0];
    m[4 + row] *= scale[1];
    m[8 + row] *= scale[2];
  }
  return m;
}

function upOf(report: Report): THREE.Vector3 {
  const g = report.header.gravity ?? [];
  const v = new THREE.Vector3(g[0] ?? 0, g[1] ?? 0, g[2] ?? 0).negate();
  if (v.lengthSq() === 0) return report.header.dimension === 2 ? v.set(0, 1, 0) : v.set(0, 0, 1);
  // The nearest axis: slopes stay slopes.
  const components = v.toArray();
  const largest = components.map(Math.abs).indexOf(Math.max(...components.map(Math.abs)));
  return new THREE.Vector3().setComponent(largest, Math.sign(components[largest]));
}

/** How many positions of points are looked at to find sizes, and in how many frames at most. */
const mostPositions = 600_000;
const mostFrames = 240;

export function measure(report: Report, motion: Motion): World {
  const up = upOf(report);
  const right = Math.abs(up.x) > 0.5 ? new THREE.Vector3(0, 0, up.x) : new THREE.Vector3(1, 0, 0);
  const away = new THREE.Vector3().crossVectors(up, right);

  const local: Vec3[][] = report.bodies.map((body) => {
    const points = (body.shapes ?? []).filter((s) => s.type !== 'plane').flatMap(corners);
    return points.length > 0 ? points : [[0, 0, 0]];
  });
  const joints = report.header.joints ?? [];
  for (const joint of joints)
    joint.bodies.forEach((body, k) => local[body]?.push(joint.points[k] ?? [0, 0, 0]));
  for (const force of report.header.forces ?? [])
    if (force.draw !== 'none' && force.draw !== 'torsion')
      force.bodies.forEach((body, k) => local[body]?.push(force.points[k] ?? [0, 0, 0]));

  const start: number[] = [];
  const all: Float32Array[] = [];
  const count = local.reduce((sum, points) => sum + points.length, 0);
  const frames = Math.max(60, Math.min(mostFrames, Math.floor(mostPositions / count)));
  const travel = report.bodies.map(() => 0);
  const bodySizes = local.map((points) => {
    const box = new THREE.Box3().setFromPoints(points.map((p) => new THREE.Vector3(...p)));
    return box.getSize(new THREE.Vector3()).length();
  });
  const a = new THREE.Vector3();
  const b = new THREE.Vector3();
  report.bodies.forEach((body, index) => {
    if (body.fixed || index === 0) return;
    const paths = motion.paths(index, local[index], frames);
    all.push(paths);
    start.push(...paths.subarray(0, 3 * local[index].length));
    const path = motion.path(index, [0, 0, 0], frames);
    a.fromArray(path, 0);
    for (let i = 0; i < path.length; i += 3)
      travel[index] = Math.max(travel[index], b.fromArray(path, i).distanceTo(a));
  });
  // The ground counts where something is fastened to it.
  const drawn = (report.header.forces ?? []).filter((f) => f.draw === 'coil' || f.draw === 'damper' || f.draw === 'line');
  for (const element of [...joints, ...drawn])
    element.bodies.forEach((body, k) => {
      if (report.bodies[body]?.fixed) {
        const path = motion.path(body, element.points[k] ?? [0, 0, 0], 1);
        start.push(...path);
        all.push(path);
      }
    });
  if (start.length === 0) start.push(0, 0, 0);
  if (all.length === 0) all.push(new Float32Array(3));

  const startPoints = new Float32Array(start);
  const allPoints = new Float32Array(all.reduce((sum, part) => sum + part.length, 0));
  all.reduce((at, part) => (allPoints.set(part, at), at + part.length), 0);
  const box = new THREE.Box3().setFromArray(startPoints);
  let size = box.getSize(a).length();
  if (!(size > 0)) size = new THREE.Box3().setFromArray(allPoints).getSize(a).length();
  if (!(size > 0)) size = report.header.length_scale ?? 1;

  return {
    planar: report.header.dimension === 2,
    up,
    right,
    away,
    size,
    floor: floorHeight(report, up, allPoints, size),
    startPoints,
    allPoints,
    travel,
    bodySizes,
  };
}

/** The lowest of the model's own surfaces, or a little below everything that moves. */
function floorHeight(report: Report, up: THREE.Vector3, points: Float32Array, size: number): number {
  const v = new THREE.Vector3();
  let own = Infinity;
  for (const surface of report.header.surfaces ?? []) {
    if (surface.kind === 'plane' && surface.point) {
      const normal = v.fromArray(surface.normal ?? up.toArray());
      if (normal.normalize().dot(up) > 0.99) own = Math.min(own, v.fromArray(surface.point).dot(up));
    }
    for (const point of surface.kind === 'road' ? (surface.points ?? []) : [])
      own = Math.min(own, v.fromArray(point).dot(up));
  }
  // A slab that the model draws as its ground stands on the floor.
  let lowest = Infinity;
  for (const shape of report.bodies[0]?.shapes ?? [])
    if (shape.type === 'box')
      for (const point of corners(shape)) lowest = Math.min(lowest, v.fromArray(point).dot(up));
  if (Number.isFinite(own)) return Math.min(own, lowest);
  const slab = lowest;
  for (let i = 0; i < points.length; i += 3)
    lowest = Math.min(lowest, v.fromArray(points, i).dot(up));
  return lowest === slab ? slab : lowest - 0.04 * size;
}
