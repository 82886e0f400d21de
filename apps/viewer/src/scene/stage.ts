// The 3-D replay: camera, light, and everything that is drawn at a time.

import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import type { Arrow, Report, Vec3 } from '../report';
import { Arrows, Trail } from './arrows';
import { Bodies, Visibility } from './bodies';
import { addContactShapes } from './defaults';
import { Ground } from './ground';
import { Links } from './links';
import { Materials, effortHere } from './materials';
import { Motion } from './motion';
import { Section, type SectionAxis } from './section';
import { Triad } from './triad';
import { measure, type World } from './world';

export type ViewName = 'default' | 'front' | 'side' | 'top';
export type LayerName = 'bodies' | 'joints' | 'springs' | 'contact' | 'reaction' | 'force' | 'trails' | 'floor';

/** Colours of traced points, apart from those of bodies. */
const trailColors = ['#e0a100', '#d6409f', '#12a594', '#8e4ec6', '#f76b15', '#3e63dd'];
/** A body that travels farther than this many sizes of the model is followed by the camera. */
const farAway = 2.5;

export class Stage {
  readonly canvas: HTMLCanvasElement;
  readonly world: World;
  readonly motion: Motion;
  readonly bodies: Bodies;
  readonly ground: Ground;
  readonly arrows: Record<Arrow['kind'], Arrows>;
  readonly trails: Trail[] = [];
  readonly layers: Record<LayerName, boolean>;
  /** The body the camera moves with, or null. */
  followed: number | null = null;
  selected: number | null = null;
  /** Whether the camera also turns with that body, about the vertical. */
  turning = false;
  readonly section: Section;
  readonly triad: Triad;
  onPick: (body: number | null) => void = () => {};
  /** The body under the pointer and where the pointer is. */
  onHover: (body: number | null, x: number, y: number) => void = () => {};
  onCamera: () => void = () => {};

  private readonly renderer: THREE.WebGLRenderer;
  private readonly scene = new THREE.Scene();
  private readonly camera = new THREE.PerspectiveCamera(32, 1, 0.01, 1000);
  private readonly controls: OrbitControls;
  private readonly links: Links;
  private readonly trailGroup = new THREE.Group();
  private readonly key = new THREE.DirectionalLight(0xfff6ea, 2.1);
  private readonly sky = new THREE.HemisphereLight(0xffffff, 0xd9d6d0, 3.3);
  private readonly fill = new THREE.DirectionalLight(0xdbe8ff, 0.9);
  private readonly lastFollowed = new THREE.Vector3();
  private lastHeading = 0;
  private readonly accent = new THREE.Color('#f2b600');
  private fitRadius = 1;
  private time: number;

  constructor(
    private readonly host: HTMLElement,
    private readonly report: Report,
  ) {
    this.time = report.startTime;
    addContactShapes(report);
    this.motion = new Motion(report);
    this.world = measure(report, this.motion);
    const materials = new Materials(effortHere());
    const full = materials.effort === 'full';
    this.renderer = new THREE.WebGLRenderer({ antialias: full, alpha: true });
    this.canvas = this.renderer.domElement;
    this.canvas.className = 'stage-canvas';
    this.renderer.setPixelRatio(full ? Math.min(window.devicePixelRatio, 2) : 1);
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = full ? THREE.PCFSoftShadowMap : THREE.BasicShadowMap;
    this.key.shadow.mapSize.setScalar(full ? 2048 : 1024);
    host.prepend(this.canvas);

    this.bodies = new Bodies(report, this.motion, this.world, materials);
    this.links = new Links(report, this.motion, this.world, materials, (bodies) => this.bodies.seen(bodies));
    this.ground = new Ground(report, this.world, materials);
    this.arrows = {
      contact: new Arrows(report, this.motion, this.world, 'contact', materials),
      reaction: new Arrows(report, this.motion, this.world, 'reaction', materials),
      force: new Arrows(report, this.motion, this.world, 'force', materials),
    };
    this.layers = {
      bodies: true,
      joints: true,
      springs: true,
      contact: true,
      reaction: this.arrows.reaction.count <= 8,
      force: false,
      trails: true,
      floor: true,
    };
    this.scene.add(this.bodies.group, this.links.joints, this.links.forces, this.trailGroup);
    this.scene.add(this.ground.group, this.ground.surfaces);
    for (const arrows of Object.values(this.arrows)) this.scene.add(arrows.group);
    this.addLights();

    this.section = new Section(this.renderer, this.world, [this.bodies.group, this.links.joints, this.links.forces]);
    this.triad = new Triad(this.world.planar);
    host.append(this.triad.element);
    this.camera.up.copy(this.world.up);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.14;
    this.controls.zoomToCursor = true;
    this.controls.screenSpacePanning = true;
    this.controls.addEventListener('change', () => this.onCamera());

    this.followed = this.bodyToFollow();
    this.addDefaultTrails();
    this.watchClicks();
    this.resize();
    this.view('default');
    this.applyLayers();
  }

  private addLights(): void {
    const { size } = this.world;
    this.key.castShadow = true;
    this.key.shadow.radius = 5;
    this.key.shadow.normalBias = 0.004 * size;
    this.key.shadow.bias = -0.0003;
    this.sky.position.copy(this.world.up);
    this.scene.add(this.key, this.key.target, this.sky, this.fill, this.fill.target);
  }

  /** The largest body, if it leaves the place where the model starts. */
  private bodyToFollow(): number | null {
    const { travel, bodySizes, size } = this.world;
    let best: number | null = null;
    this.report.bodies.forEach((body, i) => {
      if (i === 0 || body.fixed || travel[i] < farAway * size) return;
      if (best === null || bodySizes[i] > bodySizes[best]) best = i;
    });
    // One that flies off while most stay would lose the rest.
    const moving = travel.filter((way, i) => i > 0 && way > farAway * size).length;
    return moving > (this.report.bodies.length - 1) / 2 ? best : null;
  }

  private addDefaultTrails(): void {
    const points = this.report.header.points ?? [];
    if (points.length > 0) {
      for (const p of points.slice(0, 4)) this.addTrail(p.name, p.body, p.point);
    } else {
      const moving = this.report.bodies.flatMap((body, i) => (i > 0 && !body.fixed ? [i] : []));
      if (moving.length <= 3) for (const i of moving) this.addTrail(this.report.bodies[i].name, i, [0, 0, 0]);
      else if (moving.length <= 12) {
        const { travel } = this.world;
        const widest = moving.reduce((a, b) => (travel[b] > travel[a] ? b : a));
        this.addTrail(this.report.bodies[widest].name, widest, [0, 0, 0]);
      }
    }
  }

  addTrail(name: string, body: number, point: Vec3): Trail {
    const color = trailColors[this.trails.length % trailColors.length];
    const trail = new Trail(this.report, this.motion, name, body, point, color);
    this.trails.push(trail);
    this.trailGroup.add(trail.group);
    trail.update(this.time);
    return trail;
  }

  removeTrail(name: string): void {
    const index = this.trails.findIndex((trail) => trail.name === name);
    if (index < 0) return;
    const [trail] = this.trails.splice(index, 1);
    this.trailGroup.remove(trail.group);
    trail.dispose();
  }

  applyLayers(): void {
    const on = this.layers;
    this.bodies.group.visible = on.bodies;
    this.links.joints.visible = on.joints;
    this.links.forces.visible = on.springs;
    this.trailGroup.visible = on.trails;
    this.ground.group.visible = on.floor;
    for (const kind of ['contact', 'reaction', 'force'] as const) {
      this.arrows[kind].group.visible = on[kind] && this.arrows[kind].maximum > 0;
      this.arrows[kind].update(this.time);
    }
  }

  /** Reads the colours of the page. */
  setTheme(): void {
    const style = getComputedStyle(document.documentElement);
    const color = (name: string): THREE.Color => new THREE.Color(style.getPropertyValue(name).trim());
    const dark = style.getPropertyValue('--dark').trim() === '1';
    this.ground.setColors(color('--stage-line'), color('--stage-road'), dark ? 0.45 : 0.17, dark ? 0.5 : 0.55);
    this.sky.intensity = dark ? 2.2 : 3.3;
    this.sky.groundColor.set(dark ? 0x7a8089 : 0xd9d6d0);
    this.key.intensity = dark ? 2 : 2.1;
  }

  resize(): void {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  /** Fewer pixels for machines that cannot keep up. */
  lowerResolution(): boolean {
    const ratio = this.renderer.getPixelRatio();
    if (ratio <= 1) return false;
    this.renderer.setPixelRatio(Math.max(1, ratio - 0.5));
    return true;
  }

  private direction(name: ViewName): THREE.Vector3 {
    const { right, away, up, planar } = this.world;
    const [r, a, u] = {
      default: planar ? [0.16, -1, 0.14] : [0.72, -1, 0.5],
      front: [1, 0, 0.02],
      side: [0, -1, 0.02],
      top: [0, -0.02, 1],
    }[planar && name === 'front' ? 'side' : name];
    return new THREE.Vector3().addScaledVector(right, r).addScaledVector(away, a).addScaledVector(up, u).normalize();
  }

  /** Looks from a named side so that everything that matters is seen. */
  view(name: ViewName): void {
    this.place(this.direction(name));
  }

  /** Keeps the direction, and moves so that everything is seen. */
  fit(): void {
    this.place(this.camera.position.clone().sub(this.controls.target).normalize());
  }

  /** Looks along the given direction (right, away, up), zoomed in by a factor: for pictures. */
  look(direction: Vec3, zoom = 1): void {
    const { right, away, up } = this.world;
    const v = new THREE.Vector3()
      .addScaledVector(right, direction[0])
      .addScaledVector(away, direction[1])
      .addScaledVector(up, direction[2]);
    this.place(v.normalize());
    this.camera.position.sub(this.controls.target).divideScalar(zoom).add(this.controls.target);
    this.controls.update();
    this.onCamera();
  }

  private place(toCamera: THREE.Vector3): void {
    const shift = new THREE.Vector3();
    let points = this.world.allPoints;
    if (this.followed !== null) {
      // All at the start, moved with the body.
      points = this.world.startPoints;
      const path = this.motion.path(this.followed, [0, 0, 0], 1);
      shift.fromArray(this.motion.position(this.followed)).sub(new THREE.Vector3().fromArray(path));
    }
    const rightward = new THREE.Vector3().crossVectors(this.world.up, toCamera).normalize();
    if (rightward.lengthSq() < 0.5) rightward.copy(this.world.right);
    const upward = new THREE.Vector3().crossVectors(toCamera, rightward);
    const basis = [rightward, upward, toCamera];
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    const p = new THREE.Vector3();
    for (let i = 0; i < points.length; i += 3) {
      p.fromArray(points, i).add(shift);
      basis.forEach((axis, k) => {
        const value = p.dot(axis);
        low[k] = Math.min(low[k], value);
        high[k] = Math.max(high[k], value);
      });
    }
    const target = new THREE.Vector3();
    basis.forEach((axis, k) => target.addScaledVector(axis, (low[k] + high[k]) / 2));
    const half = basis.map((_, k) => Math.max((high[k] - low[k]) / 2, 0.02 * this.world.size));
    const tangent = Math.tan(((this.camera.fov / 2) * Math.PI) / 180);
    const margin = 1.22;
    const distance =
      half[2] + Math.max((margin * half[1]) / tangent, (margin * half[0]) / (tangent * this.camera.aspect));
    this.fitRadius = Math.hypot(half[0], half[1], half[2]);
    this.camera.position.copy(target).addScaledVector(toCamera, distance);
    this.controls.target.copy(target);
    this.camera.near = distance / 200;
    this.camera.far = distance * 60;
    this.camera.updateProjectionMatrix();
    this.controls.minDistance = distance / 40;
    this.controls.maxDistance = distance * 12;
    this.controls.update();
    this.rememberFollowed();
    this.onCamera();
  }

  follow(body: number | null): void {
    this.followed = body;
    this.rememberFollowed();
  }

  private rememberFollowed(): void {
    if (this.followed === null) return;
    this.lastFollowed.fromArray(this.motion.position(this.followed));
    this.lastHeading = this.motion.heading(this.followed, this.world.up);
  }

  /** Shows a body, lets others be seen through it, or hides it; null for all bodies. */
  setVisibility(body: number | null, visibility: Visibility): void {
    if (body !== null) this.bodies.setVisibility(body, visibility);
    else this.report.bodies.forEach((_, i) => this.bodies.setVisibility(i, visibility));
    this.moveTo(this.time);
  }

  /** Shows this body alone, with what stands on the ground. */
  isolate(body: number): void {
    this.report.bodies.forEach((_, i) =>
      this.bodies.setVisibility(i, i === body || i === 0 ? Visibility.shown : Visibility.hidden),
    );
    this.moveTo(this.time);
  }

  cut(axis: SectionAxis, part: number): void {
    this.section.set(axis, part);
  }

  /** The picture as it is seen now. */
  picture(): Promise<Blob | null> {
    this.draw();
    return new Promise((done) => this.canvas.toBlob(done));
  }

  get solids(): Bodies['solids'] {
    return this.bodies.solids;
  }

  select(body: number | null): void {
    this.selected = body;
    this.bodies.highlight(body, this.accent);
  }

  /** Turns the camera about its target, in radians; moves it, in parts of the distance; zooms. */
  orbit(horizontal: number, vertical: number): void {
    const offset = this.camera.position.clone().sub(this.controls.target);
    const toUp = new THREE.Quaternion().setFromUnitVectors(this.world.up, new THREE.Vector3(0, 1, 0));
    const s = new THREE.Spherical().setFromVector3(offset.applyQuaternion(toUp));
    s.theta += horizontal;
    s.phi += vertical;
    s.makeSafe();
    offset.setFromSpherical(s).applyQuaternion(toUp.invert());
    this.camera.position.copy(this.controls.target).add(offset);
    this.controls.update();
    this.onCamera();
  }
  pan(horizontal: number, vertical: number): void {
    const distance = this.camera.position.distanceTo(this.controls.target);
    const x = new THREE.Vector3().setFromMatrixColumn(this.camera.matrix, 0);
    const y = new THREE.Vector3().setFromMatrixColumn(this.camera.matrix, 1);
    const step = x.multiplyScalar(horizontal * distance).addScaledVector(y, vertical * distance);
    this.camera.position.add(step);
    this.controls.target.add(step);
    this.onCamera();
  }
  zoom(factor: number): void {
    this.camera.position.sub(this.controls.target).multiplyScalar(factor).add(this.controls.target);
    this.controls.update();
    this.onCamera();
  }

  /** Where a body is on the canvas, in pixels; null behind the camera. */
  project(body: number): { x: number; y: number } | null {
    const p = new THREE.Vector3().fromArray(this.motion.position(body)).project(this.camera);
    if (p.z > 1 || p.z < -1) return null;
    return { x: ((p.x + 1) / 2) * this.host.clientWidth, y: ((1 - p.y) / 2) * this.host.clientHeight };
  }

  private watchClicks(): void {
    let down: { x: number; y: number } | null = null;
    this.canvas.addEventListener('pointerdown', (event) => {
      down = { x: event.clientX, y: event.clientY };
    });
    this.canvas.addEventListener('pointerup', (event) => {
      if (!down || Math.hypot(event.clientX - down.x, event.clientY - down.y) > 5) return;
      const body = this.bodyAt(event);
      this.onPick(body !== null && this.report.bodies[body]?.fixed ? null : body);
    });
    // One look a frame at most; none while the camera is dragged.
    let looking = false;
    this.canvas.addEventListener('pointermove', (event) => {
      if (looking || event.buttons !== 0) return;
      looking = true;
      requestAnimationFrame(() => {
        looking = false;
        const box = this.canvas.getBoundingClientRect();
        this.onHover(this.bodyAt(event), event.clientX - box.left, event.clientY - box.top);
      });
    });
    for (const gone of ['pointerleave', 'pointerdown'] as const)
      this.canvas.addEventListener(gone, () => this.onHover(null, 0, 0));
  }

  private bodyAt(event: PointerEvent): number | null {
    const box = this.canvas.getBoundingClientRect();
    const ray = new THREE.Raycaster();
    ray.setFromCamera(
      new THREE.Vector2(
        (2 * (event.clientX - box.left)) / box.width - 1,
        1 - (2 * (event.clientY - box.top)) / box.height,
      ),
      this.camera,
    );
    return this.bodies.pick(ray);
  }

  /** Moves everything to a time. */
  moveTo(time: number): void {
    this.time = time;
    this.motion.update(time);
    this.bodies.update();
    this.links.update();
    for (const kind of ['contact', 'reaction', 'force'] as const) this.arrows[kind].update(time);
    for (const trail of this.trails) trail.update(time);
    if (this.followed !== null) {
      const now = new THREE.Vector3().fromArray(this.motion.position(this.followed));
      const step = now.clone().sub(this.lastFollowed);
      this.camera.position.add(step);
      this.controls.target.add(step);
      this.lastFollowed.copy(now);
      if (this.turning) this.turnWith(this.followed, now);
    }
  }

  /** Turns the camera about the vertical through a body by what the body has turned. */
  private turnWith(body: number, centre: THREE.Vector3): void {
    const heading = this.motion.heading(body, this.world.up);
    const turn = new THREE.Quaternion().setFromAxisAngle(this.world.up, heading - this.lastHeading);
    this.lastHeading = heading;
    for (const point of [this.camera.position, this.controls.target]) point.sub(centre).applyQuaternion(turn).add(centre);
    this.camera.lookAt(this.controls.target);
  }

  /** Draws; true while the camera still swings. */
  draw(): boolean {
    const swinging = this.controls.update();
    const target = this.controls.target;
    this.ground.centre(target, this.camera.position.distanceTo(target));
    this.placeLights(target);
    this.triad.update(this.camera);
    this.renderer.render(this.scene, this.camera);
    return swinging;
  }

  private placeLights(target: THREE.Vector3): void {
    const { right, away, up, size } = this.world;
    const radius = Math.max(Math.min(1.25 * this.fitRadius, 6 * size), 0.6 * size);
    const along = (r: number, a: number, u: number, light: THREE.DirectionalLight): void => {
      light.target.position.copy(target);
      light.position.copy(target);
      light.position.addScaledVector(right, r * radius).addScaledVector(away, a * radius).addScaledVector(up, u * radius);
    };
    along(0.9, -0.9, 2.6, this.key);
    along(-2, 1.2, 0.8, this.fill);
    const shadow = this.key.shadow.camera;
    if (shadow.right !== 1.5 * radius) {
      shadow.left = shadow.bottom = -1.5 * radius;
      shadow.right = shadow.top = 1.5 * radius;
      shadow.near = 0.1 * radius;
      shadow.far = 7 * radius;
      shadow.updateProjectionMatrix();
    }
  }
}
