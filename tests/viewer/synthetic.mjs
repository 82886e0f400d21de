// Reports made here, without the program: for what no shipped model shows (many bodies, no bodies, failures).

import { gzipSync } from 'node:zlib';

/** Collects arrays and puts a report into the viewer, as the program does. */
export class ReportMaker {
  arrays = {};
  parts = [];
  offset = 0;

  add(name, values, shape = [values.length], type = 'f32') {
    const bytes = Buffer.from((type === 'f64' ? Float64Array : Float32Array).from(values).buffer);
    this.arrays[name] = { type, offset: this.offset, shape };
    this.parts.push(bytes);
    this.offset += bytes.length;
    return name;
  }

  html(viewer, header) {
    const text = JSON.stringify({ format: 1, ...header, arrays: this.arrays }).replaceAll('</', '<\\/');
    const data = gzipSync(Buffer.concat(this.parts)).toString('base64');
    const marker = '<!-- KARDAN_RESULT -->';
    if (viewer.split(marker).length !== 2) throw new Error('the viewer must have its marker once');
    return viewer.replace(
      marker,
      () =>
        `<script type="application/json" id="kardan-report">${text}</script>\n` +
        `<script type="text/plain" id="kardan-data">${data}</script>`,
    );
  }
}

function seconds(frames, end) {
  return Array.from({ length: frames }, (_, i) => (end * i) / (frames - 1));
}

/** A swinging chain with springs between every second rod, forces at the joints, a plane below. */
export function chain(viewer, bodies, frames = 600) {
  const maker = new ReportMaker();
  const times = seconds(frames, 10);
  const length = 0.5;
  const poses = [];
  const forces = [];
  for (const t of times) {
    poses.push(0, 0, 0, 1, 0, 0, 0);
    let x = 0;
    let z = 0;
    for (let i = 0; i < bodies; ++i) {
      const angle = 0.9 * Math.sin(1.5 * t - 0.03 * i) + 0.4 * Math.sin(0.11 * i + 2 * t);
      const dx = Math.sin(angle);
      const dz = -Math.cos(angle);
      const half = angle / 2;
      poses.push(x + 0.5 * length * dx, 0, z + 0.5 * length * dz, Math.cos(half), 0, -Math.sin(half), 0);
      x += length * dx;
      z += length * dz;
    }
    forces.push(0, 0, 9.81 * bodies * (1 + 0.3 * Math.sin(3 * t)));
  }
  const names = Array.from({ length: bodies }, (_, i) => `rod_${i + 1}`);
  const header = {
    generator: 'kardan test',
    title: `chain of ${bodies}`,
    subtitle: 'made by a test',
    verdict: { ok: true, reason: 'finished', sentences: ['Asked for 1e-6.', 'Constraints held to 3e-13.'] },
    certificate: { method: 'none', tolerance: 1e-6, steps: 100, residuals: { position: 3e-13, velocity: 1e-14 } },
    dimension: 3,
    gravity: [0, 0, -9.81],
    length_scale: length,
    bodies: [
      { name: 'ground', fixed: true, shapes: [] },
      ...names.map((name) => ({
        name,
        shapes: [
          { type: 'box', size: [0.08, 0.12, length] },
          { type: 'cylinder', size: [0.05, 0.2], position: [0, 0, length / 2], quaternion: [Math.SQRT1_2, Math.SQRT1_2, 0, 0] },
          { type: 'sphere', size: [0.07], position: [0, 0, 0] },
        ],
      })),
    ],
    joints: names.map((name, i) => ({
      name: `joint_${i + 1}`,
      type: 'revolute',
      bodies: [i, i + 1],
      points: [[0, 0, i === 0 ? 0 : -length / 2], [0, 0, length / 2]],
      axes: [[0, 1, 0], [0, 1, 0]],
      redundant: i % 50 === 0,
    })),
    forces: names.slice(1).flatMap((name, i) =>
      i % 2 === 0
        ? [{ name: `spring_${i}`, type: 'spring_damper', draw: 'coil', bodies: [i + 1, i + 2], points: [[0, 0.1, 0], [0, 0.1, 0]] }]
        : [],
    ),
    arrows: names.map((name, i) => ({
      name: `joint_${i + 1}`,
      kind: 'reaction',
      body: i + 1,
      at: [0, 0, length / 2],
      array: 'force_vectors',
      column: 0,
    })),
    times: maker.add('times', times, [frames], 'f64'),
    poses: maker.add('poses', poses, [frames, bodies + 1, 7]),
    quantities: names.slice(0, 20).map((name, i) => ({
      name: `${name}.z`,
      unit: 'm',
      group: name,
      array: 'poses',
      column: 7 * (i + 1) + 2,
    })),
    steps: {
      time: maker.add('step_time', times.slice(1)),
      size: maker.add('step_size', times.slice(1).map((t) => 0.01 * (1.5 + Math.sin(t)))),
      error: maker.add('step_error', times.slice(1).map((t) => 0.3 + 0.2 * Math.sin(5 * t))),
      rejected: maker.add('rejected', [1, 4]),
    },
    events: [{ time: 2.5, name: 'rod_1.turn', what: 'the chain turns', direction: 'rising' }],
  };
  maker.add('force_vectors', forces, [frames, 3]);
  return maker.html(viewer, header);
}

/** A report of user equations: plots only, and a run that failed. */
export function equations(viewer) {
  const maker = new ReportMaker();
  const times = seconds(200, 4);
  return maker.html(viewer, {
    title: 'van der Pol',
    subtitle: 'names with </script> & "quotes"',
    verdict: { ok: false, reason: 'step_too_small', sentences: ['Stopped at 4 s of 10 s.'] },
    certificate: {
      accuracy: {
        asked: 1e-3,
        verdict: 'reached',
        position: 2e-1,
        velocity: 1e-1,
        bands: { times: [0, 2, 4], position: [0, 1e-2, 2e-1], velocity: [0, 1e-2, 1e-1], errors: { x: [0.2, 0.2, 0.2] } },
      },
    },
    bodies: [],
    times: maker.add('times', times, [200], 'f64'),
    quantities: ['x', 'y'].map((name, i) => ({
      name,
      array: maker.add(name, times.map((t) => Math.sin(3 * t + i))),
    })),
  });
}

/** The two tones of `tones` at a time: 2 m at 5 Hz, 0.5 m at 1 Hz, and the speed of the first. */
export function toneValues(t) {
  const w = 2 * Math.PI * 5;
  return { a: 2 * Math.sin(w * t), b: 0.5 * Math.cos(2 * Math.PI * t), da: 2 * w * Math.cos(w * t) };
}

/** Columns whose spectra and derivatives are known, one that stands still, and names that are easily mixed up. */
export function tones(viewer) {
  const maker = new ReportMaker();
  const times = seconds(8001, 8);
  const column = (name, unit, value) => ({ name, unit, group: name.split('.')[0], array: maker.add(name, times.map(value), [times.length], 'f64') });
  return maker.html(viewer, {
    title: '<tones> & noise',
    verdict: { ok: true, reason: 'finished', sentences: [] },
    dimension: 2,
    bodies: [],
    times: maker.add('times', times, [times.length], 'f64'),
    quantities: [
      column('still.y', 'm', () => 1.25),
      column('tone.a', 'm', (t) => toneValues(t).a),
      column('tone.b', 'm', (t) => toneValues(t).b),
      column('tone.speed', 'm/s', (t) => toneValues(t).da),
      column('m1.state', '', (t) => t),
      column('m1.force', 'N', (t) => t * t),
    ],
    events: [{ time: 2.5, name: 'tone.turn', what: 'turns', direction: 'rising' }],
  });
}
