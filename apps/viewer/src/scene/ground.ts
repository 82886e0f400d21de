// What stands still: the floor with its grid and shadows, the road, planes and spheres of the model.

import * as THREE from 'three';
import type { Report, Surface } from '../report';
import type { Materials, SurfaceMaterial } from './materials';
import { corners, type World } from './world';

/** Lines one pixel wide at any distance; every fifth is stronger; all fade out. */
const gridShader = {
  vertex: `
    varying vec3 vWorld;
    void main() {
      vec4 world = modelMatrix * vec4(position, 1.0);
      vWorld = world.xyz;
      gl_Position = projectionMatrix * viewMatrix * world;
    }`,
  fragment: `
    uniform vec3 color, right, away, centre;
    uniform float spacing, reach, strength;
    varying vec3 vWorld;
    float lines(vec2 p, float width) {
      vec2 w = fwidth(p);
      vec2 d = abs(fract(p - 0.5) - 0.5) / max(w, vec2(1e-9));
      vec2 line = 1.0 - smoothstep(vec2(width * 0.5), vec2(width * 0.5 + 1.0), d);
      line *= 1.0 - smoothstep(0.25, 0.6, w); // too dense to see
      return max(line.x, line.y);
    }
    void main() {
      vec3 from = vWorld - centre;
      float fade = 1.0 - smoothstep(0.15, 1.0, length(from) / reach);
      vec2 p = vec2(dot(vWorld, right), dot(vWorld, away)) / spacing;
      float alpha = max(0.45 * lines(p, 0.4), 0.85 * lines(p / 5.0, 0.7));
      gl_FragColor = vec4(color, alpha * fade * fade * strength);
      #include <colorspace_fragment>
    }`,
};

/** 1, 2 or 5 times a power of ten, next to the value. */
function round125(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = value / power;
  return power * (factor < 1.5 ? 1 : factor < 3.5 ? 2 : factor < 7.5 ? 5 : 10);
}

export class Ground {
  readonly group = new THREE.Group();
  readonly surfaces = new THREE.Group();
  /** Distance of the grid's lines [m]. */
  readonly spacing: number;
  private readonly grid: THREE.Mesh<THREE.BufferGeometry, THREE.ShaderMaterial>;
  private readonly catcher: THREE.Mesh<THREE.BufferGeometry, THREE.ShadowMaterial>;
  private readonly roadMaterial: SurfaceMaterial;

  constructor(
    report: Report,
    private readonly world: World,
    materials: Materials,
  ) {
    this.roadMaterial = materials.surface({ roughness: 0.95, side: THREE.DoubleSide });
    this.spacing = round125(world.size / 10);
    const facing = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), world.up);
    this.grid = new THREE.Mesh(
      new THREE.PlaneGeometry(1, 1),
      new THREE.ShaderMaterial({
        vertexShader: gridShader.vertex,
        fragmentShader: gridShader.fragment,
        transparent: true,
        depthWrite: false,
        side: THREE.DoubleSide,
        uniforms: {
          color: { value: new THREE.Color() },
          right: { value: world.right },
          away: { value: world.away },
          centre: { value: new THREE.Vector3() },
          spacing: { value: this.spacing },
          reach: { value: 1 },
          strength: { value: 1 },
        },
      }),
    );
    this.catcher = new THREE.Mesh(
      new THREE.PlaneGeometry(1, 1),
      new THREE.ShadowMaterial({ transparent: true, opacity: 0.2, depthWrite: false }),
    );
    this.catcher.receiveShadow = true;
    for (const mesh of [this.catcher, this.grid]) {
      mesh.quaternion.copy(facing);
      mesh.frustumCulled = false;
      this.group.add(mesh);
    }
    this.catcher.renderOrder = -2;
    this.grid.renderOrder = -1;
    const drawn = new THREE.Box3().setFromPoints(
      (report.bodies[0]?.shapes ?? []).flatMap(corners).map((p) => new THREE.Vector3(...p)),
    );
    for (const surface of report.header.surfaces ?? [])
      if (!this.covers(drawn, surface)) this.add(surface);
  }

  /** True where the model's own drawing of the ground shows most of a road or plane. */
  private covers(drawn: THREE.Box3, surface: Surface): boolean {
    if (drawn.isEmpty() || surface.kind === 'sphere') return false;
    if (surface.kind === 'plane') return true;
    const points = (surface.points ?? []).map((p) => new THREE.Vector3(...p));
    // Only where the model comes along.
    const passed = new THREE.Box3().setFromArray(this.world.allPoints);
    const road = new THREE.Box3().setFromPoints(points);
    road.intersect(passed.expandByScalar(this.world.size));
    const { right, away } = this.world;
    const length = (box: THREE.Box3): number => {
      const size = box.getSize(new THREE.Vector3());
      return Math.abs(size.dot(right)) + Math.abs(size.dot(away));
    };
    return length(road.clone().intersect(drawn.clone().expandByVector(this.world.up))) > 0.6 * length(road);
  }

  private add(surface: Surface): void {
    if (surface.kind === 'road' && surface.points && surface.points.length > 1)
      this.surfaces.add(this.road(surface));
    else if (surface.kind === 'sphere' && surface.radius) this.surfaces.add(this.ball(surface));
    else if (surface.kind === 'plane' && surface.point) {
      const slope = this.plane(surface);
      if (slope) this.surfaces.add(slope);
    }
  }

  /** A strip under the polyline, a little thick so that bumps are seen from the side. */
  private road(surface: Surface): THREE.Mesh {
    const { up, size } = this.world;
    const points = (surface.points ?? []).map((p) => new THREE.Vector3(...p));
    const along = points[points.length - 1].clone().sub(points[0]);
    const across = new THREE.Vector3().crossVectors(up, along).normalize();
    const half = (surface.width ?? (this.world.planar ? 0.35 : 0.75) * size) / 2;
    const positions: number[] = [];
    const index: number[] = [];
    // Just above the floor, so that both do not fight for the same pixels.
    const lift = up.clone().multiplyScalar(2e-4 * size);
    points.forEach((p, i) => {
      for (const side of [-1, 1])
        positions.push(...p.clone().addScaledVector(across, side * half).add(lift).toArray());
      if (i > 0) {
        const k = 2 * i;
        index.push(k - 2, k, k - 1, k - 1, k, k + 1);
      }
    });
    const strip = new THREE.BufferGeometry();
    strip.setAttribute('position', new THREE.Float32BufferAttribute(positions, 3));
    strip.setIndex(index);
    strip.computeVertexNormals();
    const mesh = new THREE.Mesh(strip, this.roadMaterial);
    mesh.receiveShadow = true;
    return mesh;
  }

  private ball(surface: Surface): THREE.Mesh {
    const mesh = new THREE.Mesh(new THREE.SphereGeometry(surface.radius, 48, 32), this.roadMaterial);
    mesh.position.fromArray(surface.center ?? [0, 0, 0]);
    mesh.castShadow = mesh.receiveShadow = true;
    return mesh;
  }

  /** Level planes are the floor itself; only slopes need a mesh. */
  private plane(surface: Surface): THREE.Mesh | null {
    const normal = new THREE.Vector3(...(surface.normal ?? this.world.up.toArray())).normalize();
    const at = new THREE.Vector3(...(surface.point ?? [0, 0, 0]));
    const level = normal.dot(this.world.up) > 0.9999;
    if (level && Math.abs(at.dot(this.world.up) - this.world.floor) < 1e-9 * this.world.size) return null;
    const extent = 3 * this.world.size;
    const mesh = new THREE.Mesh(new THREE.PlaneGeometry(extent, extent), this.roadMaterial);
    mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
    mesh.position.copy(at);
    mesh.receiveShadow = true;
    return mesh;
  }

  /** Moves the visible part of the endless floor to where the camera looks. */
  centre(target: THREE.Vector3, distance: number): void {
    const { up, floor, size } = this.world;
    const height = target.dot(up);
    const reach = Math.max(2.2 * distance, 1.5 * size);
    for (const mesh of [this.catcher, this.grid]) {
      mesh.position.copy(target).addScaledVector(up, floor - height);
      mesh.scale.setScalar(2 * reach);
    }
    const uniforms = this.grid.material.uniforms;
    (uniforms.centre.value as THREE.Vector3).copy(this.grid.position);
    uniforms.reach.value = reach;
  }

  setColors(line: THREE.Color, road: THREE.Color, shadow: number, strength: number): void {
    (this.grid.material.uniforms.color.value as THREE.Color).copy(line);
    this.grid.material.uniforms.strength.value = strength;
    this.catcher.material.opacity = shadow;
    this.roadMaterial.color.copy(road);
  }
}
