// The axes of the world in a corner of the picture.

import * as THREE from 'three';
import { make, makeSvg } from '../ui/dom';

const axes = [
  { name: 'x', color: '#d2453d', direction: new THREE.Vector3(1, 0, 0) },
  { name: 'y', color: '#3c9a4e', direction: new THREE.Vector3(0, 1, 0) },
  { name: 'z', color: '#3f6fd6', direction: new THREE.Vector3(0, 0, 1) },
];
const reach = 24;

export class Triad {
  readonly element: HTMLElement;
  private readonly lines: { line: SVGLineElement; label: SVGTextElement; direction: THREE.Vector3 }[] = [];
  private readonly inCamera = new THREE.Vector3();
  private readonly turn = new THREE.Quaternion();
  private readonly last = new THREE.Quaternion(0, 0, 0, 0);

  constructor(planar: boolean) {
    const drawing = makeSvg('svg', { viewBox: '-36 -36 72 72', width: 72, height: 72 });
    for (const { name, color, direction } of planar ? axes.slice(0, 2) : axes) {
      const line = makeSvg('line', { x1: 0, y1: 0, stroke: color, 'stroke-width': 2.2, 'stroke-linecap': 'round' });
      const label = makeSvg('text', { fill: color, 'font-size': 12, 'font-weight': 650, 'text-anchor': 'middle' }, name);
      drawing.append(line, label);
      this.lines.push({ line, label, direction });
    }
    this.element = make('div', { class: 'triad', role: 'img', 'aria-label': 'Directions of the axes' }, drawing);
  }

  update(camera: THREE.Camera): void {
    if (this.last.equals(camera.quaternion)) return;
    this.last.copy(camera.quaternion);
    this.turn.copy(camera.quaternion).invert();
    for (const { line, label, direction } of this.lines) {
      const { x, y } = this.inCamera.copy(direction).applyQuaternion(this.turn);
      line.setAttribute('x2', (reach * x).toFixed(1));
      line.setAttribute('y2', (-reach * y).toFixed(1));
      label.setAttribute('x', (1.32 * reach * x).toFixed(1));
      label.setAttribute('y', (4 - 1.32 * reach * y).toFixed(1));
    }
  }
}
