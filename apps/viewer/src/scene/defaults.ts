// Shapes that follow from what acts on a body, for bodies of which the model draws nothing.

import type { Body, Force, Report, Shape, Vec3 } from '../report';

const tyreColor = '#3a3d42';

/** A wheel lies in the plane of travel; in space that is the plane of x and the vertical. */
function wheel(force: Force, at: Vec3, planar: boolean): Shape {
  const radius = force.radius ?? 0;
  const turned = Math.SQRT1_2;
  return {
    type: 'cylinder',
    size: [radius, 0.45 * radius],
    position: at,
    quaternion: planar ? [1, 0, 0, 0] : [turned, -turned, 0, 0],
    color: tyreColor,
    default: true,
  };
}

/** Gives bodies without shapes of their own the wheels and balls that their contacts speak of. */
export function addContactShapes(report: Report): void {
  const planar = report.header.dimension === 2;
  const plain = (body: Body | undefined): body is Body =>
    body !== undefined && !body.fixed && (body.shapes ?? []).every((shape) => shape.default);
  for (const force of report.header.forces ?? []) {
    const body = report.bodies[force.bodies[1]];
    const at = force.points[1];
    if (!force.radius || !plain(body) || !at) continue;
    if (force.silhouette === 'wheel') body.shapes = [...(body.shapes ?? []), wheel(force, at, planar)];
    else if (force.silhouette === 'ball')
      body.shapes = [{ type: 'sphere', size: [force.radius], position: at, default: true }];
  }
}
