// A cut through the bodies, across an axis of the world.

import * as THREE from 'three';
import type { World } from './world';

export type SectionAxis = 'none' | 'x' | 'y' | 'z';

export class Section {
  private readonly plane = new THREE.Plane();
  private readonly box: THREE.Box3;

  constructor(
    renderer: THREE.WebGLRenderer,
    world: World,
    private readonly groups: THREE.Object3D[],
  ) {
    renderer.localClippingEnabled = true;
    this.box = new THREE.Box3().setFromArray(world.allPoints);
  }

  /** Takes away what lies beyond a part (0 to 1) of the model's extent along an axis. */
  set(axis: SectionAxis, part: number): void {
    if (axis !== 'none') {
      const k = 'xyz'.indexOf(axis);
      const low = this.box.min.getComponent(k);
      const high = this.box.max.getComponent(k);
      this.plane.normal.set(0, 0, 0).setComponent(k, -1);
      this.plane.constant = low + part * (high - low);
    }
    for (const group of this.groups)
      group.traverse((object) => {
        if (!(object instanceof THREE.Mesh)) return;
        for (const material of [object.material].flat() as THREE.Material[]) {
          material.clippingPlanes = axis === 'none' ? null : [this.plane];
          material.clipShadows = axis !== 'none';
          // Insides are seen where a body is cut.
          material.side = axis === 'none' && !material.userData.twoSided ? THREE.FrontSide : THREE.DoubleSide;
          material.needsUpdate = true;
        }
      });
  }
}
