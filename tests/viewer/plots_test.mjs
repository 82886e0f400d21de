// usage: node plots_test.mjs VIEWER.html SCRATCH_FOLDER
// Plots: formulas, spectra, other axes, two times, the shared stretch of time, drawings.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { launch, open, plottedPixels, settle } from './browser.mjs';
import { tones, toneValues } from './synthetic.mjs';

const [viewerFile, scratch] = process.argv.slice(2);
const viewer = readFileSync(viewerFile, 'utf8');
mkdirSync(scratch, { recursive: true });

function written(name, html) {
  const file = join(scratch, name);
  writeFileSync(file, html);
  return file;
}

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/** The rows of a CSV file that a button saves. */
async function savedTable(page, name) {
  const waiting = page.waitForEvent('download');
  await page.getByRole('button', { name }).first().click();
  const text = readFileSync(await (await waiting).path()).toString();
  return text.trim().split('\n').map((line) => line.split(','));
}

test('formulas of quantities are plotted, and faults in them are told', async () => {
  const { page, complaints, close } = await open(browser, written('tones.html', tones(viewer)));
  await page.locator('#tab-plots').click();
  const field = page.getByRole('combobox', { name: 'Choose quantities' });
  await page.evaluate(() => window.kardan.plots.choose([]));
  await field.fill('d(tone.a)^2/4 + 3*abs(tone.b)/sqrt(4)');
  await field.press('Enter');
  await field.press('Escape');
  await settle(page);
  const rows = (await savedTable(page, /as CSV$/)).slice(1).map((row) => row.map(Number));
  let worst = 0;
  for (const [t, value] of rows.slice(1, -1)) {
    const { a, b, da } = toneValues(t);
    assert.ok(Number.isFinite(a));
    worst = Math.max(worst, Math.abs(value - (da ** 2 / 4 + 1.5 * Math.abs(b))));
  }
  // The derivative by parabolas is off by h^2/6 |a'''| = h^2/3 w^3, a quarter of its square by half of that times |a'| = 2 w.
  const h = rows[1][0] - rows[0][0];
  const w = 2 * Math.PI * 5;
  assert.ok(worst < 1.1 * ((h * h) / 3) * w ** 3 * 0.5 * 2 * w, `off by ${worst}`);

  await field.fill('tone.a + nothing');
  assert.match(await page.locator('.picker-list').textContent(), /"nothing" is no quantity of this report \(column 10\)/);
  await field.fill('tone.a - tone.speed');
  assert.match(await page.locator('.picker-list').textContent(), /m and m\/s cannot be added/);
  assert.deepEqual(complaints, []);
  await close();
});

test('a spectrum shows frequency and amplitude of each tone, and lines run over any quantity', async () => {
  const { page, complaints, close } = await open(browser, written('tones.html', tones(viewer)));
  await page.locator('#tab-plots').click();
  await page.evaluate(() => window.kardan.plots.choose(['tone.a']));
  await page.getByLabel('What plots are over').selectOption('#');
  await settle(page);
  const [head, ...rows] = await savedTable(page, /as CSV$/);
  assert.equal(head[0], 'frequency [Hz]');
  const [frequency, amplitude] = rows.map((r) => r.map(Number)).reduce((a, b) => (b[1] > a[1] ? b : a));
  assert.ok(Math.abs(frequency - 5) <= 1 / 8, `${frequency} Hz`);
  assert.ok(amplitude > 0.85 * 2 && amplitude <= 1.001 * 2, `amplitude ${amplitude}`);

  await page.getByLabel('What plots are over').selectOption('tone.b');
  await settle(page);
  const over = await savedTable(page, /as CSV$/);
  assert.deepEqual(over[0], ['tone.b [m]', 'tone.a [m]']);
  for (const { pixels } of await plottedPixels(page)) assert.ok(pixels > 50, 'nothing is drawn');
  assert.deepEqual(complaints, []);
  await close();
});

test('plots share their stretch of time with the replay; a second time shows differences', async () => {
  const { page, complaints, close } = await open(browser, written('tones.html', tones(viewer)));
  await page.locator('#tab-plots').click();
  await page.evaluate(() => window.kardan.plots.choose(['tone.a', 'tone.speed']));
  await settle(page);
  await page.getByRole('button', { name: 'Zoom tone.a in about the current time' }).click();
  await settle(page);
  const { ranges, window, first, last } = await page.evaluate(() => {
    const { timeline, plots } = globalThis.kardan;
    const ranges = plots.charts.map((c) => [c.plot.scales.x.min, c.plot.scales.x.max]);
    return { ranges, window: [timeline.window.from, timeline.window.to], first: timeline.first, last: timeline.last };
  });
  assert.equal(ranges.length, 2);
  assert.deepEqual(ranges[0], ranges[1]);
  assert.deepEqual(ranges[0], window);
  assert.deepEqual([first, last], window);
  const looped = await page.evaluate(() => {
    const { timeline } = globalThis.kardan;
    timeline.set(timeline.last - 1e-3);
    timeline.setPlaying(true);
    timeline.advance(1);
    timeline.advance(1e-3);
    const back = timeline.time;
    timeline.setPlaying(false);
    return back;
  });
  assert.ok(looped < last - 0.5, 'the replay does not repeat the stretch');
  await page.getByRole('button', { name: 'Show the whole time' }).first().click();
  assert.equal(await page.evaluate(() => globalThis.kardan.timeline.window), null);

  await page.evaluate(() => {
    globalThis.kardan.timeline.compareWith(1.05);
    globalThis.kardan.timeline.set(3.11);
  });
  await settle(page);
  const change = /Δ ([^)]*)/.exec(await page.locator('.chart-legend .value').first().textContent());
  const wanted = toneValues(3.11).a - toneValues(1.05).a;
  assert.ok(Math.abs(Number(change[1].replace('−', '-')) - wanted) < 1e-3, change[1]);
  assert.match(await page.getByRole('button', { name: 'Stop comparing' }).textContent(), /Δt 2.06 s from 1.05 s/);
  assert.deepEqual(complaints, []);
  await close();
});

test('the first plots show what moves, and a search finds forces before states', async () => {
  const { page, close } = await open(browser, written('tones.html', tones(viewer)));
  await page.locator('#tab-plots').click();
  const chosen = await page.evaluate(() => [...window.kardan.plots.chosen]);
  assert.ok(chosen.length > 0);
  assert.ok(!chosen.includes('still.y'), `what stands still was chosen: ${chosen}`);
  await page.getByRole('combobox', { name: 'Choose quantities' }).fill('m1');
  const names = await page.locator('[role=option] .name').allTextContents();
  assert.deepEqual(names.slice(0, 2), ['m1.force', 'm1.state']);
  await close();
});

test('all plots are saved as one drawing', async () => {
  const { page, complaints, close } = await open(browser, written('tones.html', tones(viewer)));
  await page.locator('#tab-plots').click();
  await page.evaluate(() => window.kardan.plots.choose(['tone.a', 'tone.speed']));
  await page.getByRole('button', { name: 'Extremes' }).click();
  await page.getByRole('button', { name: 'Log' }).click();
  await settle(page);
  const waiting = page.waitForEvent('download');
  await page.getByRole('button', { name: 'SVG' }).click();
  const text = readFileSync(await (await waiting).path()).toString();
  const problem = await page.evaluate((svg) => new DOMParser().parseFromString(svg, 'image/svg+xml').querySelector('parsererror')?.textContent, text);
  assert.equal(problem, undefined);
  assert.match(text, /tone\.a \[m\]/);
  assert.match(text, /&lt;tones&gt;/, 'titles are escaped');
  assert.equal((text.match(/stroke-width="1.5"/g) ?? []).length, 2, 'one line each');
  assert.doesNotMatch(text, /NaN|Infinity/);
  assert.deepEqual(complaints, []);
  await close();
});
