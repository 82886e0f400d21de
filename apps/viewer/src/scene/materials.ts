// Materials and the effort spent on pixels: less where no graphics hardware draws them.

import * as THREE from 'three';

export type Effort = 'full' | 'low';

/** Software rendering is told by the name of the renderer. "#effort=full" in the address overrides. */
export function effortHere(): Effort {
  const wish = /effort=(full|low)/.exec(location.hash)?.[1];
  if (wish === 'full' || wish === 'low') return wish;
  const gl = document.createElement('canvas').getContext('webgl2');
  const info = gl?.getExtension('WEBGL_debug_renderer_info');
  const name = gl ? String(gl.getParameter(info?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER)) : '';
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name) ? 'low' : 'full';
}

export interface Look {
  color?: THREE.ColorRepresentation;
  roughness?: number;
  metalness?: number;
  emissive?: THREE.ColorRepresentation;
  emissiveIntensity?: number;
  side?: THREE.Side;
  transparent?: boolean;
  opacity?: number;
  depthFunc?: THREE.DepthModes;
  depthWrite?: boolean;
}

export type SurfaceMaterial = THREE.MeshStandardMaterial | THREE.MeshLambertMaterial;

/** Makes the materials of all surfaces. */
export class Materials {
  constructor(readonly effort: Effort) {}

  surface(look: Look = {}): SurfaceMaterial {
    if (this.effort === 'full') return new THREE.MeshStandardMaterial({ roughness: 0.6, ...look });
    const rest = { ...look };
    delete rest.roughness;
    delete rest.metalness;
    return new THREE.MeshLambertMaterial(rest);
  }
}
