// usage: node study_test.mjs KARDAN SCRATCH_FOLDER
// The page of a study of ten thousand runs.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import test, { after, before } from 'node:test';
import { laptop, launch, phone, until } from './browser.mjs';

const [kardan, scratch] = process.argv.slice(2);
const folder = join(scratch, 'study');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const runs = 10000;
writeFileSync(join(folder, 'model.yaml'), `kardan: 1
name: <b>oscillator</b> & friends
parameters: {A: 1, w: 3, d: 0.1}
equations:
  positions: {x: A}
  velocities: {v: 0}
  mass: {v: 1}
  forces: {v: -w^2*x - d*v}
simulate: {t_end: 0.3, tolerance: 1e-3}
`);
writeFileSync(join(folder, 'study.yaml'), `kardan_study: 1
model: model.yaml
vary:
  A: {type: uniform, from: 1, to: 2}
  w: {type: normal, mean: 3, deviation: 0.2}
  d: {type: triangular, from: 0, mode: 0.1, to: 0.5}
design: {type: sensitivity, rows: ${runs / 5}}
keep: {end: final(x), fast: max(abs(v)), ratio: end/A}
require: [end < 1.35]
`);
const page_file = join(folder, 'study.html');
execFileSync(kardan, ['study', 'study.yaml', '--out', 'study.html', '--quiet'], { cwd: folder });

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

async function open({ viewport = laptop, theme = 'light' } = {}) {
  const context = await browser.newContext({ viewport, colorScheme: theme });
  await context.setOffline(true);
  const page = await context.newPage();
  const complaints = [], requests = [], own = pathToFileURL(page_file).href;
  page.on('console', (message) => {
    if (['error', 'warning', 'assert'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (request.url() !== own) requests.push(request.url());
  });
  await page.goto(own);
  await until(page, () => Number(document.documentElement.dataset.drawn) > 0);
  return { page, complaints, requests, close: () => context.close() };
}

const drawn = (page) => page.evaluate(() => Number(document.documentElement.dataset.drawn));

/** Drags along axis `k` from one share of it to another, in steps; gives how often the page was drawn anew. */
async function brush(page, k, from, to, steps) {
  await page.locator('#parallel').scrollIntoViewIfNeeded();
  const place = await page.locator('#parallel').boundingBox();
  const axes = await page.evaluate(() => JSON.parse(document.getElementById('data').textContent).names.length);
  const x = place.x + 60 + (k * (place.width - 120)) / (axes - 1), y = (s) => place.y + 34 + (1 - s) * (place.height - 60);
  const before = await drawn(page);
  await page.mouse.move(x, y(from));
  await page.mouse.down();
  for (let i = 1; i <= steps; ++i) {
    const last = await drawn(page);
    await page.mouse.move(x, y(from + ((to - from) * i) / steps));
    await until(page, (n) => Number(document.documentElement.dataset.drawn) > n, last);
  }
  const during = (await drawn(page)) - before;
  await page.mouse.up();
  await until(page, (n) => Number(document.documentElement.dataset.drawn) > n, before + during);
  return during;
}

const chosen = async (page) => Number((await page.locator('#chosen').textContent()).match(/^\d+/)[0]);

test('only its own script runs, and names are words', async () => {
  const html = readFileSync(page_file, 'utf8');
  assert.match(html, /script-src 'sha256-[A-Za-z0-9+/]{43}='; /);
  assert.doesNotMatch(html, /nonce|unsafe-eval|script-src 'unsafe/);
  const { page, complaints, requests, close } = await open();
  assert.equal(await page.locator('h1').textContent(), '<b>oscillator</b> & friends');
  const planted = await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.planted = true';
    document.body.append(script);
    return Boolean(window.planted);
  });
  assert.equal(planted, false);
  assert.deepEqual(complaints.filter((text) => !/Content Security Policy/.test(text)), []);
  assert.deepEqual(requests, []);
  await close();
});

test('what is brushed is chosen, smoothly with ten thousand runs', async () => {
  const { page, complaints, close } = await open();
  assert.equal(await chosen(page), runs);
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const script = async () =>
    (await session.send('Performance.getMetrics')).metrics.find((m) => m.name === 'ScriptDuration').value;
  await brush(page, 0, 0.9, 0.8, 2); // compiles
  const begin = await script();
  const times = await brush(page, 0, 0.25, 0.75, 10);
  const milliseconds = (1000 * ((await script()) - begin)) / times;
  console.log(`script time of a picture: ${milliseconds.toFixed(1)} ms (${times} pictures)`);
  assert.ok(milliseconds > 1, 'nothing was measured');
  assert.ok(milliseconds < 100, `${milliseconds} ms`);
  // A is uniform: half of its range is half of the runs.
  const half = await chosen(page);
  assert.ok(Math.abs(half - runs / 2) < 0.02 * runs, `${half}`);
  await brush(page, 2, 0.5, 1, 5);
  const fewer = await chosen(page);
  assert.ok(fewer > 0 && fewer < half, `${fewer}`);
  assert.deepEqual(complaints, []);
  await close();
});

test('the table sorts, and shows what is chosen', async () => {
  const { page, close } = await open();
  const column = async (k) => (await page.locator(`#runs tr td:nth-child(${k})`).allTextContents()).map(Number);
  assert.equal((await column(1)).length, 200);
  await page.locator('#runs th', { hasText: 'fast' }).click();
  const rising = await column(6);
  assert.deepEqual(rising, [...rising].sort((a, b) => a - b));
  await page.locator('#runs th', { hasText: 'fast' }).click();
  const falling = await column(6);
  assert.deepEqual(falling, [...falling].sort((a, b) => b - a));
  assert.ok(falling[0] > rising[0]);
  await close();
});

test('a click on a point tells how to see its run, which has the same bits', async () => {
  const { page, close } = await open();
  const place = await page.locator('#pairs').boundingBox(), cell = place.width / 6;
  await page.locator('#pairs').click({ position: { x: 0.5 * cell, y: 1.5 * cell } });
  const command = await page.locator('#point code').first().textContent();
  assert.match(command, /^kardan study show study\.h5 \d+$/);
  const told = execFileSync(kardan, command.split(' ').slice(1), { cwd: folder, encoding: 'utf8' });
  assert.match(told, /The same bits as in the file\./);
  const A = Number(told.match(/^A +(\S+)/m)[1]);
  assert.ok((await page.locator('#point').textContent()).includes(`A ${Number(A.toPrecision(5))}`));
  await close();
});

test('surfaces tell how well they fit, and indices are bars', async () => {
  const { page, close } = await open();
  const explained = async () => Number((await page.locator('#surface-told').textContent()).match(/([\d.]+) %/)[1]);
  assert.ok((await explained()) > 99, 'x at the end is nearly a quadratic');
  await page.locator('#surface-kept').selectOption({ label: 'ratio' });
  assert.match(await page.locator('#surface-told').textContent(), /of ratio/);
  assert.equal(await page.locator('#bars .bar').count(), 9);
  const widths = await page.evaluate(() =>
    [...document.querySelectorAll('#bars .bar')].slice(0, 3).map((bar) => parseFloat(bar.querySelectorAll('i')[1].style.width)));
  assert.ok(widths[0] + widths[1] + widths[2] > 90 && widths[2] < 10, `${widths}`);
  await close();
});

for (const [name, look] of Object.entries({
  light: {}, dark: { theme: 'dark' }, phone: { viewport: phone, theme: 'light' } })) {
  test(`it is drawn and fits: ${name}`, async () => {
    const { page, complaints, close } = await open(look);
    const [inside, room] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
    assert.ok(inside <= room, `${inside} > ${room}`);
    assert.deepEqual(complaints, []);
    // Reading the pixels of a canvas often is a thing that Chromium remarks.
    for (const id of ['parallel', 'pairs', 'map']) {
      const covered = await page.evaluate((which) => {
        const canvas = document.getElementById(which);
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        let n = 0;
        for (let i = 3; i < data.length; i += 4) n += data[i] > 0;
        return n / (canvas.width * canvas.height);
      }, id);
      assert.ok(covered > 0.05, `${id}: ${covered}`);
    }
    await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
    await close();
  });
}
