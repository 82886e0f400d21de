// usage: node stage_test.mjs VIEWER.html SCRATCH_FOLDER
// The picture of the replay: names, bodies hidden or seen through, sections, the camera; pictures, films, scenes.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { difference, launch, open, picture as withPointer, settle, until } from './browser.mjs';
import { chain } from './synthetic.mjs';

const [viewerFile, scratch] = process.argv.slice(2);
const viewer = readFileSync(viewerFile, 'utf8');
mkdirSync(scratch, { recursive: true });
const file = join(scratch, 'chain_stage.html');
writeFileSync(file, chain(viewer, 6));

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

async function saved(page, name) {
  const waiting = page.waitForEvent('download');
  await page.getByRole('button', { name }).click();
  const download = await waiting;
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** The picture, with neither pointer nor focus on it. */
async function picture(page) {
  await page.mouse.move(0, 0);
  await page.evaluate(() => document.activeElement?.blur());
  return withPointer(page);
}

const place = (page, body) => page.evaluate((i) => window.kardan.stage.project(i), body);
const select = (page, body) => page.evaluate((i) => window.kardan.select(i), body);

test('the name of the body under the pointer is shown', async () => {
  const { page, complaints, close } = await open(browser, file);
  await settle(page);
  await page.locator('.stage-canvas').hover({ position: await place(page, 3) });
  await until(page, () => !document.querySelector('.hover-name').hidden);
  assert.equal(await page.locator('.hover-name').textContent(), 'rod_3');
  assert.deepEqual(complaints, []);
  await close();
});

test('a body is hidden, seen through, seen alone, and all come back', async () => {
  const { page, complaints, close } = await open(browser, file);
  const all = await picture(page);
  const at = await place(page, 3);
  await select(page, 3);
  await settle(page);
  await page.getByRole('button', { name: 'Hide' }).click();
  await select(page, 3); // no longer selected
  const hidden = await picture(page);
  assert.ok((await difference(page, all, hidden)) > 0.001, 'nothing has vanished');
  await page.locator('.stage-canvas').click({ position: at });
  assert.notEqual(await page.evaluate(() => window.kardan.stage.selected), 3, 'a hidden body is found by a press');
  await page.evaluate(() => window.kardan.stage.selected !== null && window.kardan.select(window.kardan.stage.selected));

  await page.locator('.stage-canvas').focus();
  await page.keyboard.press('a');
  assert.ok((await difference(page, all, await picture(page))) < 1e-3, 'not all bodies come back');

  await select(page, 3);
  await page.keyboard.press('g');
  await select(page, 3);
  const ghost = await picture(page);
  assert.ok((await difference(page, all, ghost)) > 0.0005, 'nothing is seen through');
  assert.ok((await difference(page, hidden, ghost)) > 0.0005, 'what is seen through has vanished');

  await select(page, 2);
  await page.keyboard.press('i');
  const shown = await page.evaluate(() => [...window.kardan.stage.bodies.visibility]);
  assert.deepEqual(shown, [0, 2, 0, 2, 2, 2, 2], 'ground and body 2, and nothing else');
  assert.deepEqual(complaints, []);
  await close();
});

test('a section takes away one side', async () => {
  const { page, complaints, close } = await open(browser, file);
  await page.getByRole('button', { name: 'View' }).click();
  const whole = await picture(page);
  const axis = page.getByLabel('Section', { exact: true });
  await axis.selectOption('z');
  const cut = await picture(page);
  assert.ok((await difference(page, whole, cut)) > 0.002, 'nothing is cut');
  await axis.selectOption('none');
  assert.ok((await difference(page, whole, await picture(page))) < 1e-3, 'the cut stays');
  assert.deepEqual(complaints, []);
  await close();
});

test('the camera turns with the body it follows', async () => {
  const { page, complaints, close } = await open(browser, file);
  // Rods turn about y: make that the vertical of the camera's turning.
  const angle = await page.evaluate(() => {
    const { stage } = window.kardan;
    stage.follow(2);
    stage.turning = true;
    stage.world.up.set(0, 1, 0);
    stage.moveTo(0);
    stage.follow(2);
    const offset = () => stage.camera.position.clone().sub(stage.controls.target);
    const heading = () => stage.motion.heading(2, { x: 0, y: 1, z: 0 });
    const a = offset();
    const first = heading();
    stage.moveTo(0.7);
    const b = offset();
    const turned = Math.atan2(a.z * b.x - a.x * b.z, a.x * b.x + a.z * b.z);
    return { turned, wanted: heading() - first };
  });
  assert.ok(Math.abs(angle.wanted) > 0.2, 'the body does not turn');
  assert.ok(Math.abs(angle.turned - angle.wanted) < 1e-6, `${angle.turned}, wanted ${angle.wanted}`);
  assert.deepEqual(complaints, []);
  await close();
});

/** The JSON and the binary part of a GLB file. */
function readGlb(bytes) {
  assert.equal(bytes.toString('latin1', 0, 4), 'glTF');
  assert.equal(bytes.readUInt32LE(4), 2);
  assert.equal(bytes.readUInt32LE(8), bytes.length);
  const length = bytes.readUInt32LE(12);
  assert.equal(length % 4, 0);
  const json = JSON.parse(bytes.toString('utf8', 20, 20 + length));
  const binary = bytes.subarray(28 + length);
  assert.equal(bytes.readUInt32LE(20 + length), binary.length);
  const numbers = (k) => {
    const { bufferView, count, type, componentType } = json.accessors[k];
    const view = json.bufferViews[bufferView];
    const width = { SCALAR: 1, VEC3: 3, VEC4: 4 }[type];
    assert.equal(view.byteLength, 4 * width * count);
    assert.ok(view.byteOffset + view.byteLength <= binary.length);
    return Array.from({ length: width * count }, (_, i) =>
      componentType === 5126 ? binary.readFloatLE(view.byteOffset + 4 * i) : binary.readUInt32LE(view.byteOffset + 4 * i),
    );
  };
  return { json, numbers };
}

test('the scene is saved as glTF with the motion of every body', async () => {
  const { page, complaints, close } = await open(browser, file);
  const { name, bytes } = await saved(page, 'Save bodies and motion as glTF');
  assert.equal(name, 'chain-of-6-replay.glb');
  const { json, numbers } = readGlb(bytes);
  const rod = json.nodes.findIndex((n) => n.name === 'rod_4');
  const parts = json.nodes[rod].children.map((k) => json.nodes[k]);
  assert.equal(parts.length, 3, 'box, cylinder and sphere');
  for (const { mesh } of parts)
    for (const { attributes, indices } of json.meshes[mesh].primitives) {
      const points = numbers(attributes.POSITION).length / 3;
      assert.equal(numbers(attributes.NORMAL).length, 3 * points);
      if (indices !== undefined) assert.ok(numbers(indices).every((i) => i < points));
    }
  const [motion] = json.animations;
  const channel = motion.channels.find((c) => c.target.node === rod && c.target.path === 'translation');
  const sampler = motion.samplers[channel.sampler];
  const times = numbers(sampler.input);
  const way = numbers(sampler.output);
  assert.equal(times.length, 600);
  const wanted = await page.evaluate((t) => {
    window.kardan.stage.motion.update(t);
    return window.kardan.stage.motion.position(4);
  }, times[123]);
  wanted.forEach((v, k) => assert.ok(Math.abs(v - way[3 * 123 + k]) < 1e-5));
  // z points up here, y does in glTF.
  const [x, y, z, w] = json.nodes[0].rotation;
  const up = [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)];
  assert.ok(Math.abs(up[1] - 1) < 1e-6, `${up}`);
  assert.deepEqual(complaints, []);
  await close();
});

test('the replay is saved as a picture and as a film', async () => {
  const { page, complaints, close } = await open(browser, file);
  await settle(page);
  const png = await saved(page, 'Save the picture as PNG');
  assert.equal(png.bytes.subarray(1, 4).toString(), 'PNG');
  const differs = await difference(page, png.bytes, await picture(page));
  assert.ok(Number.isFinite(differs));
  const inked = await page.evaluate(async (text) => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))]));
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height).data.filter((v, i) => i % 4 === 3 && v > 0).length;
  }, png.bytes.toString('base64'));
  assert.ok(inked > 1000, 'the picture is empty');

  await page.evaluate(() => {
    window.kardan.timeline.speed = 8;
    window.kardan.timeline.setWindow({ from: 2, to: 8 });
  });
  const film = await saved(page, 'Record the replay as a film');
  assert.match(film.name, /^chain-of-6-replay\.(webm|mp4)$/);
  const webm = film.bytes.readUInt32BE(0) === 0x1a45dfa3;
  const mp4 = film.bytes.toString('latin1', 4, 8) === 'ftyp';
  assert.ok(webm || mp4, 'no film');
  assert.ok(film.bytes.length > 5000, `${film.bytes.length} bytes`);
  assert.equal(await page.evaluate(() => window.kardan.timeline.loop), true, 'the replay repeats as before');
  assert.deepEqual(complaints, []);
  await close();
});
