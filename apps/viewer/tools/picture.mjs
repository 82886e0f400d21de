// Takes a picture of a report: see tools/picture.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const { chromium } = createRequire(import.meta.url)('playwright-core');

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    time: { type: 'string' },
    size: { type: 'string', default: '1280x800' },
    scale: { type: 'string', default: '1' },
    camera: { type: 'string' },
    zoom: { type: 'string', default: '1' },
    theme: { type: 'string', default: 'light' },
    tab: { type: 'string' },
    plots: { type: 'string' },
    show: { type: 'string', multiple: true },
    hide: { type: 'string', multiple: true },
    only: { type: 'string' },
  },
});

function fail(text) {
  console.error(`picture: ${text}`);
  process.exit(2);
}

const [report, out] = positionals;
if (!report || !out || positionals.length !== 2) fail('wanted: REPORT.html OUT.png');
if (!existsSync(report)) fail(`${report} does not exist`);
const size = /^(\d+)x(\d+)$/.exec(options.size) ?? fail(`--size ${options.size}: wanted WIDTHxHEIGHT`);

const browser = await chromium.launch({
  timeout: 120_000,
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
});
try {
  const page = await browser.newPage({
    viewport: { width: Number(size[1]), height: Number(size[2]) },
    deviceScaleFactor: Number(options.scale),
    colorScheme: options.theme,
    bypassCSP: true, // this program steers the page from outside
  });
  page.setDefaultTimeout(120_000);
  await page.goto(`${pathToFileURL(resolve(report)).href}#effort=full`);
  await page.waitForFunction(() => window.kardan || document.querySelector('.message'));
  if (options.only === 'replay')
    await page.addStyleTag({
      content: `.top, .side, .transport, .stage-bar, .divider, .scale { display: none !important }
        .layout .stage-area { width: 100% !important; height: 100% !important }`,
    });
  if (options.tab) await page.locator(`#tab-${options.tab}`).click();
  const problem = await page.evaluate(async (wanted) => {
    const app = window.kardan;
    if (!app) return document.querySelector('.message')?.textContent ?? 'no report';
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    await document.fonts.ready;
    await frame();
    await frame(); // sizes are known now
    const { stage } = app;
    if (stage) {
      for (const layer of wanted.show ?? []) stage.layers[layer] = true;
      for (const layer of wanted.hide ?? []) stage.layers[layer] = false;
      stage.applyLayers();
      stage.resize();
      if (wanted.camera) stage.look(wanted.camera.split(',').map(Number), Number(wanted.zoom));
      else stage.view('default'), stage.zoom(1 / Number(wanted.zoom));
    }
    if (wanted.plots) app.plots.choose(wanted.plots.split(','));
    if (wanted.time !== undefined) app.timeline.set(Number(wanted.time));
    app.invalidate();
    return '';
  }, options);
  if (problem) fail(problem);
  await page.waitForTimeout(800); // the camera comes to rest
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.screenshot({ path: out });
} finally {
  await browser.close();
}
