// usage: node replay_test.mjs KARDAN MODEL.yaml SCRATCH_FOLDER EXPECTATIONS
// Runs a model and opens its report as a person would: moves the slider, plays, picks a plot.
// EXPECTATIONS is JSON: {"title", "quantity": one to plot, "events": at least, "arrows": kind or null}.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import test, { after, before } from 'node:test';
import { difference, launch, layoutFaults, open, phone, picture, plottedPixels, settle, time, until } from './browser.mjs';

const [kardan, model, scratch, expectations] = process.argv.slice(2);
const expected = JSON.parse(expectations);
const report = join(scratch, `${basename(model, '.yaml')}.html`);

let browser;
before(async () => {
  mkdirSync(scratch, { recursive: true });
  execFileSync(kardan, ['run', model, '--out', report, '--quiet'], { stdio: ['ignore', 'ignore', 'pipe'] });
  browser = await launch();
});
after(() => browser.close());

test('the report opens, moves, plays and plots, without complaint and without a network', async () => {
  const { page, complaints, requests, close } = await open(browser, report);
  assert.equal(await page.locator('h1').first().textContent(), expected.title);
  assert.match(await page.locator('.verdict').textContent(), /Finished/);

  // Without a change the picture stays the same: what follows measures changes.
  const start = await picture(page);
  assert.equal(await difference(page, start, await picture(page)), 0);

  const slider = page.locator('.slider');
  await slider.focus();
  for (let i = 0; i < 3; ++i) await page.keyboard.press('PageUp');
  const later = await time(page);
  assert.ok(later > 0, 'the slider does not move the time');
  const moved = await picture(page);
  assert.ok((await difference(page, start, moved)) > 0.002, 'the slider does not move the picture');

  await page.locator('.play').click();
  await until(page, (t) => window.kardan.timeline.time > t + 0.05, later);
  await page.locator('.play').click();
  const stopped = await time(page);
  assert.ok((await difference(page, moved, await picture(page))) > 0.001, 'playing does not move the picture');
  assert.equal(await time(page), stopped, 'pause does not stop the time');

  await page.locator('#tab-plots').click();
  const box = page.getByRole('combobox', { name: 'Choose quantities to plot' });
  await box.fill(expected.quantity);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await page.locator('.chip', { hasText: expected.quantity }).waitFor();
  await settle(page);
  for (const { title, pixels } of await plottedPixels(page)) assert.ok(pixels > 50, `the plot "${title}" is empty`);

  // A click in a plot goes to that time.
  const over = page.locator('.u-over').first();
  const size = await over.boundingBox();
  await over.click({ position: { x: 0.75 * size.width, y: 0.5 * size.height } });
  const end = await page.evaluate(() => window.kardan.timeline.end);
  assert.ok(Math.abs((await time(page)) - 0.75 * end) < 0.03 * end, 'a click in a plot does not set the time');

  assert.deepEqual(complaints, []);
  assert.deepEqual(requests, []);
  await close();
});

test('every part of the report has content', async () => {
  const { page, complaints, requests, close } = await open(browser, report);
  await page.locator('#tab-numerics').click();
  await settle(page);
  const plots = await plottedPixels(page);
  for (const wanted of ['Step size', 'Estimated error of a step', 'Energy'])
    assert.ok(plots.some(({ title }) => title.startsWith(wanted)), `no plot "${wanted}"`);
  for (const { title, pixels } of plots) assert.ok(pixels > 50, `the plot "${title}" is empty`);

  await page.locator('#tab-events').click();
  assert.ok((await page.locator('.event').count()) >= expected.events);
  if (expected.events > 0) {
    await page.locator('.event').nth(1).click();
    assert.ok((await time(page)) > 0);
  }
  await page.locator('#tab-model').click();
  assert.ok((await page.locator('[role=treeitem]').count()) > 3);
  await page.locator('#tab-topology').click();
  const bodies = await page.evaluate(() => window.kardan.report.bodies.length);
  assert.equal(await page.locator('.node').count(), bodies);
  const arrows = await page.evaluate((kind) => window.kardan.stage.arrows[kind]?.maximum ?? 0, expected.arrows);
  assert.ok(arrows > 0, `no ${expected.arrows} forces to draw`);

  // Contacts give way a little; nothing may fall through the floor.
  const depth = await page.evaluate(() => {
    const { floor, up, allPoints, size } = window.kardan.stage.world;
    let lowest = Infinity;
    for (let i = 0; i < allPoints.length; i += 3)
      lowest = Math.min(lowest, allPoints[i] * up.x + allPoints[i + 1] * up.y + allPoints[i + 2] * up.z);
    return (floor - lowest) / size;
  });
  assert.ok(depth < 0.03, `a body is ${depth} of the model's size below the floor`);
  assert.deepEqual(complaints, []);
  assert.deepEqual(requests, []);
  await close();
});

test('nothing overlaps on a phone, and the dark report is dark', async () => {
  const { page, complaints, close } = await open(browser, report, { viewport: phone, theme: 'dark' });
  for (const tab of ['plots', 'numerics', 'result']) {
    await page.locator(`#tab-${tab}`).click();
    await settle(page);
    assert.deepEqual(await layoutFaults(page), []);
  }
  const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const [red] = background.match(/\d+/g).map(Number);
  assert.ok(red < 60, `the page is ${background}`);
  assert.deepEqual(complaints, []);
  await close();
});

test('the file names no other file', async () => {
  const text = await readFile(report, 'utf8');
  assert.doesNotMatch(text, /<(script|link|img|iframe)[^>]+(src|href)="(?!data:)/);
});
