// Bodies: one draw call for all boxes, one for all cylinders, one for all spheres.

import * as THREE from 'three';
import type { Report, Shape, Vec3 } from '../report';
import * as geometry from './geometry';
import { Batch, writeSegment, type Part } from './instances';
import type { Materials, SurfaceMaterial } from './materials';
import type { Motion } from './motion';
import { localMatrix, type World } from './world';

/** For bodies without a colour of their own: calm, and apart from each other for most eyes. */
const palette = ['#5b8fc4', '#e39a58', '#74b077', '#cc6f69', '#9a86c2', '#d6b752', '#63adb3', '#bb84a4'];
const groundColor = '#9aa1a9';

/** Box edges are drawn a little darker, one pixel and a half wide. */
function edged(material: SurfaceMaterial): SurfaceMaterial {
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', '#include <common>\nattribute vec2 corner;\nvarying vec2 vCorner;')
      .replace('#include <begin_vertex>', '#include <begin_vertex>\nvCorner = corner;');
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', '#include <common>\nvarying vec2 vCorner;')
      .replace(
        '#include <color_fragment>',
        `#include <color_fragment>
        vec2 rim = min(vCorner, 1.0 - vCorner) / max(fwidth(vCorner), vec2(1e-5));
        float edge = 1.0 - smoothstep(0.6, 1.8, min(rim.x, rim.y));
        float dense = max(fwidth(vCorner).x, fwidth(vCorner).y);
        diffuseColor.rgb *= 1.0 - 0.28 * edge * (1.0 - smoothstep(0.08, 0.3, dense));`,
      );
  };
  return material;
}

/** Very dark colours are lifted a little, so that light and shade are seen on them. */
function readable(text: string): THREE.Color {
  const color = new THREE.Color(text);
  const dark = 0.06 - (0.2126 * color.r + 0.7152 * color.g + 0.0722 * color.b);
  return dark > 0 ? color.setRGB(color.r + dark, color.g + dark, color.b + dark) : color;
}

function boxWithCorners(): THREE.BufferGeometry {
  const box = geometry.box();
  box.setAttribute('corner', box.getAttribute('uv').clone());
  return box;
}

/** How a body is seen. */
export enum Visibility {
  shown,
  ghost,
  hidden,
}
const ghostOpacity = 0.22;

/** A geometry as part of a body, in the frame of the body. */
export interface Solid {
  body: number;
  geometry: THREE.BufferGeometry;
  local: Float64Array;
  color: THREE.Color;
}

export class Bodies {
  readonly group = new THREE.Group();
  readonly visibility: Uint8Array;
  readonly solids: Solid[] = [];
  private readonly ghosts: Batch[] = [];
  private readonly kinds: { geometry: THREE.BufferGeometry; parts: Part[] }[] = [];
  private readonly batches: Batch[] = [];
  private readonly meshes: { mesh: THREE.Mesh; body: number }[] = [];
  private readonly colors: string[];

  constructor(
    report: Report,
    private readonly motion: Motion,
    private readonly world: World,
    private readonly materials: Materials,
  ) {
    this.visibility = new Uint8Array(report.bodies.length);
    this.colors = report.bodies.map(
      (body, i) =>
        body.color ??
        body.shapes?.find((s) => s.color)?.color ??
        (body.fixed || i === 0 ? groundColor : palette[(i - 1) % palette.length]),
    );
    const parts = { box: [] as Part[], cylinder: [] as Part[], sphere: [] as Part[], rod: [] as Part[] };
    report.bodies.forEach((body, index) => {
      let shapes = body.shapes ?? [];
      if (shapes.length === 0 && index > 0 && !body.fixed)
        shapes = [{ type: 'sphere', size: [0.02 * world.size], default: true }];
      for (const shape of shapes) this.add(shape, index, parts);
    });
    const smooth = materials.surface();
    const batch = (g: THREE.BufferGeometry, m: THREE.Material, list: Part[]): void => {
      if (list.length === 0) return;
      this.batches.push(new Batch(g, m, list));
      this.kinds.push({ geometry: g, parts: list });
      for (const part of list) this.solids.push({ ...part, geometry: g });
    };
    batch(boxWithCorners(), edged(materials.surface()), parts.box);
    const coarse = materials.effort === 'low' || parts.sphere.length > 100;
    batch(geometry.cylinder(coarse ? 24 : 40), smooth, parts.cylinder);
    batch(geometry.sphere(coarse ? 'coarse' : 'fine'), smooth, parts.sphere);
    batch(geometry.rod(), smooth, parts.rod);
    for (const b of this.batches) this.group.add(b.mesh);
  }

  color(body: number): string {
    return this.colors[body] ?? groundColor;
  }

  private add(
    shape: Shape,
    body: number,
    parts: { box: Part[]; cylinder: Part[]; sphere: Part[]; rod: Part[] },
  ): void {
    const color = readable(shape.color ?? this.colors[body]);
    const s = shape.size ?? [];
    const put = (list: Part[], scale: Vec3): void => {
      list.push({ body, local: localMatrix(shape, scale), color });
    };
    const frame = localMatrix(shape);
    const moved = (p: Vec3): Vec3 => {
      const v = new THREE.Vector3(...p).applyMatrix4(new THREE.Matrix4().fromArray(frame));
      return [v.x, v.y, v.z];
    };
    const ball = (at: Vec3, radius: number): void => {
      const [x, y, z] = moved(at);
      const local = localMatrix({ type: 'sphere', position: [x, y, z] }, [radius, radius, radius]);
      parts.sphere.push({ body, local, color });
    };
    const stick = (a: Vec3, b: Vec3, radius: number): void => {
      const local = new Float64Array(16);
      writeSegment(local, 0, moved(a), 0, moved(b), 0, radius);
      parts.rod.push({ body, local, color });
    };
    switch (shape.type) {
      case 'box':
        put(parts.box, [s[0], s[1], s[2]]);
        break;
      case 'cylinder':
        put(parts.cylinder, [s[0], s[0], s[1]]);
        break;
      case 'sphere':
        put(parts.sphere, [s[0], s[0], s[0]]);
        break;
      case 'capsule':
        stick([0, 0, -s[1] / 2], [0, 0, s[1] / 2], s[0]);
        ball([0, 0, -s[1] / 2], s[0]);
        ball([0, 0, s[1] / 2], s[0]);
        break;
      case 'line':
      case 'polyline': {
        const radius = shape.radius ?? 0.008 * this.world.size;
        const points = shape.points ?? [];
        points.forEach((p, i) => {
          ball(p, radius);
          if (i > 0) stick(points[i - 1], p, radius);
        });
        break;
      }
      case 'mesh':
        this.addMesh(shape, body, color);
        break;
      case 'plane': {
        const far = 12 * this.world.size;
        const thin = 0.002 * this.world.size;
        put(parts.box, [s[0] ?? far, s[1] ?? far, thin]);
        break;
      }
    }
  }

  private addMesh(shape: Shape, body: number, color: THREE.Color): void {
    const mesh = new THREE.BufferGeometry();
    mesh.setAttribute('position', new THREE.Float32BufferAttribute((shape.points ?? []).flat(), 3));
    // Faces with more corners than three are fans.
    mesh.setIndex((shape.faces ?? []).flatMap((f) => f.slice(2).flatMap((_, i) => [f[0], f[i + 1], f[i + 2]])));
    const solid = mesh.toNonIndexed();
    solid.applyMatrix4(new THREE.Matrix4().fromArray(localMatrix(shape)));
    solid.computeVertexNormals();
    const material = this.materials.surface({ color, side: THREE.DoubleSide });
    material.userData.twoSided = true;
    const object = new THREE.Mesh(solid, material);
    object.castShadow = object.receiveShadow = true;
    object.matrixAutoUpdate = false;
    this.meshes.push({ mesh: object, body });
    this.solids.push({ body, geometry: solid, local: localMatrix({ type: 'mesh' }), color });
    this.group.add(object);
  }

  update(): void {
    for (const batch of this.batches) batch.update(this.motion.matrices, this.visibility, Visibility.shown);
    for (const batch of this.ghosts) batch.update(this.motion.matrices, this.visibility, Visibility.ghost);
    for (const { mesh, body } of this.meshes)
      mesh.matrix.fromArray(this.motion.matrices, 16 * body);
  }

  /** Shows a body, lets others be seen through it, or hides it. */
  setVisibility(body: number, visibility: Visibility): void {
    this.visibility[body] = visibility;
    if (visibility === Visibility.ghost && this.ghosts.length === 0) {
      const glass = this.materials.surface({ transparent: true, opacity: ghostOpacity, depthWrite: false });
      for (const { geometry: g, parts } of this.kinds) this.ghosts.push(new Batch(g, glass, parts));
      for (const { mesh } of this.ghosts) {
        mesh.castShadow = false;
        this.group.add(mesh);
      }
    }
    for (const { mesh, body: owner } of this.meshes) {
      if (owner !== body) continue;
      const material = mesh.material as SurfaceMaterial;
      mesh.visible = visibility !== Visibility.hidden;
      material.transparent = visibility === Visibility.ghost;
      material.opacity = material.transparent ? ghostOpacity : 1;
      material.depthWrite = !material.transparent;
      material.needsUpdate = true;
    }
  }

  /** Whether what lies between bodies is seen: not if all of them but the ground are hidden. */
  seen(bodies: readonly number[]): boolean {
    const moving = bodies.filter((body) => body > 0);
    return moving.length === 0 || moving.some((body) => this.visibility[body] !== Visibility.hidden);
  }

  highlight(body: number | null, color: THREE.Color): void {
    for (const batch of [...this.batches, ...this.ghosts]) batch.highlight(body, color);
    for (const { mesh, body: owner } of this.meshes) {
      const material = mesh.material as SurfaceMaterial;
      material.emissive.copy(color).multiplyScalar(owner === body ? 0.4 : 0);
    }
  }

  /** The body under a ray of the camera. */
  pick(ray: THREE.Raycaster): number | null {
    const batches = [...this.batches, ...this.ghosts];
    for (const batch of batches) batch.mesh.boundingSphere = null; // bodies have moved
    const hit = ray.intersectObject(this.group, true)[0];
    if (!hit) return null;
    const batch = batches.find((b) => b.mesh === hit.object);
    if (batch && hit.instanceId !== undefined) return batch.owners[hit.instanceId];
    return this.meshes.find((m) => m.mesh === hit.object)?.body ?? null;
  }
}
