// Many copies of one geometry in one draw call, with their matrices written straight into the buffer.

import * as THREE from 'three';

/** out = a b for affine matrices by columns. */
export function multiply(
  a: Float64Array,
  ai: number,
  b: Float64Array,
  bi: number,
  out: Float32Array,
  oi: number,
): void {
  for (let column = 0; column < 4; ++column) {
    const k = bi + 4 * column;
    const b0 = b[k];
    const b1 = b[k + 1];
    const b2 = b[k + 2];
    const last = column === 3 ? 1 : 0;
    const o = oi + 4 * column;
    out[o] = a[ai] * b0 + a[ai + 4] * b1 + a[ai + 8] * b2 + a[ai + 12] * last;
    out[o + 1] = a[ai + 1] * b0 + a[ai + 5] * b1 + a[ai + 9] * b2 + a[ai + 13] * last;
    out[o + 2] = a[ai + 2] * b0 + a[ai + 6] * b1 + a[ai + 10] * b2 + a[ai + 14] * last;
    out[o + 3] = last;
  }
}

export interface Part {
  body: number;
  /** The unit geometry in the frame of the body, 16 numbers by columns. */
  local: Float64Array;
  color: THREE.Color;
}

export function instanced(
  geometry: THREE.BufferGeometry,
  material: THREE.Material,
  count: number,
): THREE.InstancedMesh {
  const mesh = new THREE.InstancedMesh(geometry, material, count);
  mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
  mesh.frustumCulled = false; // copies are all over the place; testing each costs more than it saves
  mesh.matrixAutoUpdate = false;
  return mesh;
}

/** Copies that are fixed to bodies. */
export class Batch {
  readonly mesh: THREE.InstancedMesh;
  private readonly locals: Float64Array;
  readonly owners: Int32Array;
  private readonly colors: THREE.Color[];

  constructor(geometry: THREE.BufferGeometry, material: THREE.Material, parts: Part[]) {
    this.mesh = instanced(geometry, material, parts.length);
    this.mesh.castShadow = true;
    this.mesh.receiveShadow = true;
    this.locals = new Float64Array(16 * parts.length);
    this.owners = new Int32Array(parts.length);
    this.colors = parts.map((part) => part.color);
    parts.forEach((part, i) => {
      this.locals.set(part.local, 16 * i);
      this.owners[i] = part.body;
      this.mesh.setColorAt(i, part.color);
    });
  }

  /** Moves the copies of the bodies of one visibility; those of others have no size. */
  update(bodies: Float64Array, visibility: Uint8Array, wanted: number): void {
    const out = this.mesh.instanceMatrix.array as Float32Array;
    for (let i = 0; i < this.owners.length; ++i) {
      if (visibility[this.owners[i]] === wanted) multiply(bodies, 16 * this.owners[i], this.locals, 16 * i, out, 16 * i);
      else out.fill(0, 16 * i, 16 * i + 16);
    }
    this.mesh.instanceMatrix.needsUpdate = true;
  }

  /** Lets one body stand out; null gives all their own colours. */
  highlight(body: number | null, color: THREE.Color): void {
    const mixed = new THREE.Color();
    this.owners.forEach((owner, i) => {
      mixed.copy(this.colors[i]);
      if (owner === body) mixed.lerp(color, 0.65);
      this.mesh.setColorAt(i, mixed);
    });
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }
}

/** The matrix that takes the unit z axis to the segment from a to b, and x and y to the radius. */
export function writeSegment(
  out: Float32Array | Float64Array,
  at: number,
  a: ArrayLike<number>,
  ai: number,
  b: ArrayLike<number>,
  bi: number,
  radius: number,
): void {
  const dx = b[bi] - a[ai];
  const dy = b[bi + 1] - a[ai + 1];
  const dz = b[bi + 2] - a[ai + 2];
  const length = Math.hypot(dx, dy, dz);
  if (!(length > 0)) {
    out.fill(0, at, at + 16);
    out[at + 15] = 1;
    return;
  }
  const zx = dx / length;
  const zy = dy / length;
  const zz = dz / length;
  // x: across the axis of the world that is farthest from the segment.
  let ux = 0;
  let uy = 0;
  let uz = 0;
  if (Math.abs(zx) <= Math.abs(zy) && Math.abs(zx) <= Math.abs(zz)) ux = 1;
  else if (Math.abs(zy) <= Math.abs(zz)) uy = 1;
  else uz = 1;
  let xx = uy * zz - uz * zy;
  let xy = uz * zx - ux * zz;
  let xz = ux * zy - uy * zx;
  const n = radius / Math.hypot(xx, xy, xz);
  xx *= n;
  xy *= n;
  xz *= n;
  out[at] = xx;
  out[at + 1] = xy;
  out[at + 2] = xz;
  out[at + 3] = 0;
  out[at + 4] = zy * xz - zz * xy;
  out[at + 5] = zz * xx - zx * xz;
  out[at + 6] = zx * xy - zy * xx;
  out[at + 7] = 0;
  out[at + 8] = dx;
  out[at + 9] = dy;
  out[at + 10] = dz;
  out[at + 11] = 0;
  out[at + 12] = a[ai];
  out[at + 13] = a[ai + 1];
  out[at + 14] = a[ai + 2];
  out[at + 15] = 1;
}
