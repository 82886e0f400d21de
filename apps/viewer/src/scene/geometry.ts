// Unit geometries; every copy is one of these, stretched by its matrix.

import * as THREE from 'three';

/** Edges of length 1 about the origin. */
export function box(): THREE.BufferGeometry {
  return new THREE.BoxGeometry(1, 1, 1);
}

/** Radius 1, from z = -1/2 to 1/2, rims broken a little so that they catch light. */
export function cylinder(segments = 40): THREE.BufferGeometry {
  const rim = 0.03;
  const outline = [
    [0, -0.5],
    [1 - rim, -0.5],
    [1 - rim, -0.5],
    [1, -0.5 + rim],
    [1, -0.5 + rim],
    [1, 0.5 - rim],
    [1, 0.5 - rim],
    [1 - rim, 0.5],
    [1 - rim, 0.5],
    [0, 0.5],
  ].map(([r, z]) => new THREE.Vector2(r, z));
  const geometry = new THREE.LatheGeometry(outline, segments);
  geometry.rotateX(Math.PI / 2); // the lathe turns about y
  geometry.deleteAttribute('uv');
  const flat = geometry.toNonIndexed();
  return smoothByAngle(flat);
}

/** Normals per face where faces meet at an edge, smooth around the axis. */
function smoothByAngle(geometry: THREE.BufferGeometry): THREE.BufferGeometry {
  const p = geometry.getAttribute('position');
  const normals = new Float32Array(3 * p.count);
  const a = new THREE.Vector3();
  const b = new THREE.Vector3();
  const c = new THREE.Vector3();
  const face = new THREE.Vector3();
  const radial = new THREE.Vector3();
  for (let i = 0; i < p.count; i += 3) {
    a.fromBufferAttribute(p, i);
    b.fromBufferAttribute(p, i + 1);
    c.fromBufferAttribute(p, i + 2);
    face.crossVectors(c.clone().sub(b), a.clone().sub(b)).normalize();
    const across = Math.hypot(face.x, face.y);
    for (const [k, v] of [a, b, c].entries()) {
      const r = Math.hypot(v.x, v.y);
      if (r > 0 && across > 1e-6) radial.set((v.x / r) * across, (v.y / r) * across, face.z);
      else radial.copy(face);
      radial.normalize().toArray(normals, 3 * (i + k));
    }
  }
  geometry.setAttribute('normal', new THREE.BufferAttribute(normals, 3));
  return geometry;
}

/** Radius 1, from z = 0 to 1, open: rods and shafts. */
export function rod(segments = 14): THREE.BufferGeometry {
  return new THREE.CylinderGeometry(1, 1, 1, segments).rotateX(Math.PI / 2).translate(0, 0, 0.5);
}

/** Radius 1 at z = 0, point at z = 1. */
export function cone(): THREE.BufferGeometry {
  return new THREE.ConeGeometry(1, 1, 20).rotateX(Math.PI / 2).translate(0, 0, 0.5);
}

export function sphere(detail: 'fine' | 'coarse' = 'fine'): THREE.BufferGeometry {
  return detail === 'fine' ? new THREE.SphereGeometry(1, 40, 24) : new THREE.SphereGeometry(1, 20, 12);
}

/** Lengths of coils, in their radii, for which there is a geometry of its own. */
export const coilAspects = [3, 5, 8, 13, 21];

/**
 * A spring from z = 0 to 1 with coils of radius 1 and short straight ends. Its wire is round where the
 * spring is `aspect` radii long.
 */
export function coil(detail: 'fine' | 'coarse', aspect: number): THREE.BufferGeometry {
  const turns = Math.max(4, Math.round(1.25 * aspect));
  const perTurn = detail === 'fine' ? 22 : 12;
  const ring = detail === 'fine' ? 7 : 4;
  const wire = 0.15;
  const centre = (s: number, out: THREE.Vector3): THREE.Vector3 => {
    const end = 0.1; // of the length, at each side
    const u = Math.min(Math.max((s - end) / (1 - 2 * end), 0), 1);
    const ramp = Math.min(1, Math.min(s, 1 - s) / end);
    const radius = ramp * ramp * (3 - 2 * ramp);
    const angle = 2 * Math.PI * turns * u;
    return out.set(radius * Math.cos(angle), radius * Math.sin(angle), s * aspect);
  };
  const steps = turns * perTurn + 12;
  const positions: number[] = [];
  const normals: number[] = [];
  const index: number[] = [];
  const p = new THREE.Vector3();
  const q = new THREE.Vector3();
  const tangent = new THREE.Vector3();
  const axis = new THREE.Vector3(0, 0, 1);
  const side = new THREE.Vector3();
  const up = new THREE.Vector3();
  for (let i = 0; i <= steps; ++i) {
    const s = i / steps;
    centre(Math.max(s - 1e-3, 0), p);
    centre(Math.min(s + 1e-3, 1), q);
    tangent.subVectors(q, p).normalize();
    centre(s, p);
    side.crossVectors(axis, tangent);
    if (side.lengthSq() < 1e-8) side.set(1, 0, 0);
    side.normalize();
    up.crossVectors(tangent, side);
    for (let k = 0; k < ring; ++k) {
      const angle = (2 * Math.PI * k) / ring;
      q.copy(side).multiplyScalar(Math.cos(angle)).addScaledVector(up, Math.sin(angle));
      normals.push(q.x, q.y, q.z * aspect); // for the shortening below
      positions.push(p.x + wire * q.x, p.y + wire * q.y, (p.z + wire * q.z) / aspect);
      if (i < steps) {
        const a = i * ring + k;
        const b = i * ring + ((k + 1) % ring);
        index.push(a, b, a + ring, b, b + ring, a + ring);
      }
    }
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.Float32BufferAttribute(positions, 3));
  geometry.setAttribute('normal', new THREE.Float32BufferAttribute(normals, 3));
  geometry.setIndex(index);
  return geometry;
}
