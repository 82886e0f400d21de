// The bodies and their motion as one binary glTF file (Khronos glTF 2.0), for other programs.

import * as THREE from 'three';
import type { Report } from '../report';
import type { Solid } from './bodies';
import type { World } from './world';

const float = 5126;
const uint = 5125;
const target = { vertices: 34962, indices: 34963 };
const magic = 0x46546c67; // "glTF"
const jsonChunk = 0x4e4f534a;
const binChunk = 0x004e4942;

interface Accessor {
  bufferView: number;
  componentType: number;
  count: number;
  type: 'SCALAR' | 'VEC3' | 'VEC4';
  min?: number[];
  max?: number[];
}

class Writer {
  readonly accessors: Accessor[] = [];
  readonly views: { buffer: 0; byteOffset: number; byteLength: number; target?: number }[] = [];
  readonly parts: ArrayBufferView[] = [];
  size = 0;

  add(data: Float32Array | Uint32Array, type: Accessor['type'], use?: number): number {
    const width = { SCALAR: 1, VEC3: 3, VEC4: 4 }[type];
    this.views.push({ buffer: 0, byteOffset: this.size, byteLength: data.byteLength, ...(use ? { target: use } : {}) });
    this.parts.push(data);
    this.size += data.byteLength;
    const accessor: Accessor = {
      bufferView: this.views.length - 1,
      componentType: data instanceof Float32Array ? float : uint,
      count: data.length / width,
      type,
    };
    if (type !== 'VEC4' && use !== target.indices) {
      accessor.min = Array.from({ length: width }, () => Infinity);
      accessor.max = Array.from({ length: width }, () => -Infinity);
      data.forEach((v, i) => {
        accessor.min![i % width] = Math.min(accessor.min![i % width], v);
        accessor.max![i % width] = Math.max(accessor.max![i % width], v);
      });
    }
    return this.accessors.push(accessor) - 1;
  }
}

/** Poses of a body at all rows: translations, and rotations (x, y, z, w) without jumps of sign. */
function track(report: Report, body: number): { translations: Float32Array; rotations: Float32Array } {
  const frames = report.times.length;
  const bodies = report.bodies.length;
  const p = report.poses ?? new Float32Array(0);
  const translations = new Float32Array(3 * frames);
  const rotations = new Float32Array(4 * frames);
  for (let i = 0; i < frames; ++i) {
    const a = 7 * (i * bodies + body);
    translations.set([p[a], p[a + 1], p[a + 2]], 3 * i);
    const n = Math.hypot(p[a + 3], p[a + 4], p[a + 5], p[a + 6]) || 1;
    const q = [p[a + 4] / n, p[a + 5] / n, p[a + 6] / n, p[a + 3] / n];
    const k = 4 * (i - 1);
    const turned = i > 0 && q.reduce((sum, v, j) => sum + v * rotations[k + j], 0) < 0;
    rotations.set(turned ? q.map((v) => -v) : q, 4 * i);
  }
  return { translations, rotations };
}

export function binaryGltf(report: Report, solids: Solid[], world: World): ArrayBuffer {
  const out = new Writer();
  const meshes: object[] = [];
  const materials: object[] = [];
  const nodes: Record<string, unknown>[] = [];
  const known = new Map<string, number>();
  const numbers = new Map<THREE.BufferGeometry, number>();

  const shape = (geometry: THREE.BufferGeometry, color: THREE.Color): number => {
    if (!numbers.has(geometry)) numbers.set(geometry, numbers.size);
    const key = `${numbers.get(geometry)} ${color.getHexString()}`;
    const old = known.get(key);
    if (old !== undefined) return old;
    const primitive: Record<string, unknown> = {
      attributes: {
        POSITION: out.add(new Float32Array(geometry.getAttribute('position').array), 'VEC3', target.vertices),
        NORMAL: out.add(new Float32Array(geometry.getAttribute('normal').array), 'VEC3', target.vertices),
      },
      material:
        materials.push({
          pbrMetallicRoughness: { baseColorFactor: [color.r, color.g, color.b, 1], metallicFactor: 0.1, roughnessFactor: 0.6 },
          doubleSided: true,
        }) - 1,
    };
    const index = geometry.getIndex();
    if (index) primitive.indices = out.add(new Uint32Array(index.array), 'SCALAR', target.indices);
    known.set(key, meshes.push({ primitives: [primitive] }) - 1);
    return meshes.length - 1;
  };

  // glTF's y axis points up.
  const upright = new THREE.Quaternion().setFromUnitVectors(world.up, new THREE.Vector3(0, 1, 0));
  nodes.push({ name: report.header.title, rotation: upright.toArray(), children: [] as number[] });
  const times = out.add(Float32Array.from(report.times, (t) => t - report.startTime), 'SCALAR');
  const samplers: object[] = [];
  const channels: object[] = [];
  report.bodies.forEach((body, i) => {
    const { translations, rotations } = track(report, i);
    const own = nodes.push({
      name: body.name,
      translation: [...translations.subarray(0, 3)],
      rotation: [...rotations.subarray(0, 4)],
      children: [] as number[],
    }) - 1;
    (nodes[0].children as number[]).push(own);
    for (const solid of solids.filter((s) => s.body === i))
      (nodes[own].children as number[]).push(
        nodes.push({ mesh: shape(solid.geometry, solid.color), matrix: Array.from(solid.local) }) - 1,
      );
    if ((nodes[own].children as number[]).length === 0) delete nodes[own].children;
    if (body.fixed || i === 0 || report.times.length < 2) return;
    for (const [path, values, type] of [
      ['translation', translations, 'VEC3'],
      ['rotation', rotations, 'VEC4'],
    ] as const) {
      const sampler = samplers.push({ input: times, output: out.add(values, type), interpolation: 'LINEAR' }) - 1;
      channels.push({ sampler, target: { node: own, path } });
    }
  });

  const json = JSON.stringify({
    asset: { version: '2.0', generator: report.header.generator ?? 'kardan' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes,
    meshes: meshes.length > 0 ? meshes : undefined,
    materials: materials.length > 0 ? materials : undefined,
    animations: channels.length > 0 ? [{ name: 'motion', samplers, channels }] : undefined,
    accessors: out.accessors,
    bufferViews: out.views,
    buffers: [{ byteLength: out.size }],
  });
  let text = new TextEncoder().encode(json);
  const padded = new Uint8Array(4 * Math.ceil(text.length / 4)).fill(0x20);
  padded.set(text);
  text = padded;
  const file = new ArrayBuffer(12 + 8 + text.length + 8 + out.size);
  const view = new DataView(file);
  const bytes = new Uint8Array(file);
  [magic, 2, file.byteLength, text.length, jsonChunk].forEach((v, i) => view.setUint32(4 * i, v, true));
  bytes.set(text, 20);
  let at = 20 + text.length;
  view.setUint32(at, out.size, true);
  view.setUint32(at + 4, binChunk, true);
  at += 8;
  for (const part of out.parts) {
    bytes.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), at);
    at += part.byteLength;
  }
  return file;
}
