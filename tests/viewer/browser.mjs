// A browser for the tests of reports: Debian's Chromium, drawing in software, without a network.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(new URL('../../apps/viewer/package.json', import.meta.url));
const { chromium } = require('playwright-core');

/** The browser of the system; playwright's own are not downloaded. */
function executable() {
  const places = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
  const found = places.find((place) => place && existsSync(place));
  assert.ok(found, 'no Chromium found: install the package chromium (./test does), or set CHROMIUM');
  return found;
}

/** Drawing in software takes its time where other work uses the processors [ms]. */
const patience = 120_000;

export function launch() {
  return chromium.launch({
    executablePath: executable(),
    timeout: patience,
    // Root has no sandbox; WebGL is drawn by the processor.
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
  });
}

export const laptop = { width: 1024, height: 640 };
export const phone = { width: 390, height: 844 };

/** Waits for a condition. Playwright's own waiting evaluates text inside the page, which its policy forbids. */
export async function until(page, condition, argument) {
  const end = Date.now() + patience;
  while (!(await page.evaluate(condition, argument))) {
    assert.ok(Date.now() < end, `waited in vain for ${condition}`);
    await page.waitForTimeout(20);
  }
}

/** Opens a report; what the page complains about or asks the network for is collected. */
export async function open(browser, file, { viewport = laptop, theme = 'light', hash = '' } = {}) {
  const context = await browser.newContext({ viewport, colorScheme: theme, acceptDownloads: true });
  await context.setOffline(true);
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  const complaints = [];
  const requests = [];
  page.on('console', (message) => {
    if (['error', 'warning', 'assert'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  const own = pathToFileURL(file).href;
  page.on('request', (request) => {
    const url = request.url();
    if (url !== own + hash && url !== own && !url.startsWith('data:') && !url.startsWith('blob:')) requests.push(url);
  });
  await page.goto(own + hash);
  await until(page, () => Boolean(window.kardan || document.querySelector('.message')));
  return { page, complaints, requests, close: () => context.close() };
}

/** Waits until what was asked for has been drawn. */
export async function settle(page) {
  await page.evaluate(
    () =>
      new Promise((done) => {
        const wait = (frames) => (frames === 0 ? done() : requestAnimationFrame(() => wait(frames - 1)));
        wait(4);
      }),
  );
}

/** A picture of the 3-D replay. */
export async function picture(page) {
  await settle(page);
  return page.locator('.stage-canvas').screenshot();
}

/** The part of pixels that differ between two pictures. */
export async function difference(page, a, b) {
  return page.evaluate(
    async ([first, second]) => {
      const pixels = async (text) => {
        const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
        const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
        const canvas = new OffscreenCanvas(image.width, image.height);
        const context = canvas.getContext('2d');
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, image.width, image.height).data;
      };
      const p = await pixels(first);
      const q = await pixels(second);
      let different = 0;
      for (let i = 0; i < p.length; i += 4)
        if (Math.abs(p[i] - q[i]) + Math.abs(p[i + 1] - q[i + 1]) + Math.abs(p[i + 2] - q[i + 2]) > 12) ++different;
      return different / (p.length / 4);
    },
    [a.toString('base64'), b.toString('base64')],
  );
}

export function time(page) {
  return page.evaluate(() => window.kardan.timeline.time);
}

/** Pairs of controls that lie over each other, and what sticks out of the window. */
export function layoutFaults(page) {
  return page.evaluate(() => {
    const faults = [];
    const wide = document.documentElement.scrollWidth - window.innerWidth;
    if (wide > 0) faults.push(`the page is ${wide} pixels wider than the window`);
    for (const group of ['.top > *', '.stage-bar > *', '.transport > *', '.tabs > *', '.chart-head > *', '.entry']) {
      const items = [...document.querySelectorAll(group)].filter((e) => e.checkVisibility());
      items.forEach((a, i) =>
        items.slice(i + 1).forEach((b) => {
          const p = a.getBoundingClientRect();
          const q = b.getBoundingClientRect();
          const x = Math.min(p.right, q.right) - Math.max(p.left, q.left);
          const y = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
          if (x > 1 && y > 1) faults.push(`"${a.textContent || a.className}" lies over "${b.textContent || b.className}"`);
        }),
      );
    }
    return faults;
  });
}

/** For each plot on the page its title and how many pixels of its canvas have the colour of a line. */
export function plottedPixels(page) {
  return page.evaluate(() =>
    [...document.querySelectorAll('.chart:not(.chart-empty)')]
      .filter((chart) => chart.checkVisibility())
      .map((chart) => {
        const canvas = chart.querySelector('canvas');
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        const colors = [...chart.querySelectorAll('.swatch')].map((swatch) =>
          getComputedStyle(swatch).backgroundColor.match(/\d+/g).map(Number),
        );
        let pixels = 0;
        for (let i = 0; i < data.length; i += 4)
          if (data[i + 3] > 200 && colors.some((c) => Math.abs(c[0] - data[i]) + Math.abs(c[1] - data[i + 1]) + Math.abs(c[2] - data[i + 2]) < 30))
            ++pixels;
        return { title: chart.querySelector('h3').textContent, pixels };
      }),
  );
}
