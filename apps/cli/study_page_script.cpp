#include "apps/cli/study_page.h"

namespace kardan::cli {

std::string_view study_page_script() {
  return R"js('use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const { names, columns } = data, count = data.run.length, width = names.length;
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const range = columns.map(column => {
  let low = Infinity, high = -Infinity;
  for (const x of column) if (x !== null) { if (x < low) low = x; if (x > high) high = x; }
  if (!(low < high)) { low -= 0.5; high += 0.5; }
  return [low, high];
});
const share = (k, x) => (x - range[k][0]) / (range[k][1] - range[k][0]);
const text = (x, digits = 5) => x === null ? '-' : String(Number(x.toPrecision(digits)));
const brush = names.map(() => null);  // [low, high] in shares of the axis
const chosen = new Uint8Array(count);
let picked = -1, sorted = -1, rising = true, drag = null;

function choose() {
  let number = 0;
  for (let i = 0; i < count; ++i) {
    let is = 1;
    for (let k = 0; k < width && is; ++k) {
      if (!brush[k]) continue;
      const x = columns[k][i], s = x === null ? -1 : share(k, x);
      if (s < brush[k][0] || s > brush[k][1]) is = 0;
    }
    chosen[i] = is;
    number += is;
  }
  let met = 0;
  for (let i = 0; i < count; ++i) met += chosen[i] && data.met[i];
  document.getElementById('chosen').textContent =
    `${number} of ${count} runs are chosen; ${met} of them meet what is required.`;
}

function fitted(id, height) {
  const canvas = document.getElementById(id), ratio = window.devicePixelRatio || 1;
  const w = canvas.clientWidth;
  canvas.style.height = height(w) + 'px';
  canvas.width = w * ratio;
  canvas.height = height(w) * ratio;
  const c = canvas.getContext('2d');
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  c.clearRect(0, 0, w, height(w));
  c.font = '12px system-ui, sans-serif';
  return [c, w, height(w)];
}

const margin = { x: 60, top: 34, bottom: 26 };
const axis = (k, w) => margin.x + (width > 1 ? k * (w - 2 * margin.x) / (width - 1) : 0);

// Colours as words of a picture's memory; layers are added up by how many lines or points cross a place.
const words = new Map();
function word(name) {
  if (words.has(name)) return words.get(name);
  const probe = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  probe.fillStyle = css(name);
  probe.fillRect(0, 0, 1, 1);
  const [r, g, b] = probe.getImageData(0, 0, 1, 1).data;
  words.set(name, [r, g, b]);
  return [r, g, b];
}

/** A picture of counted crossings, in one colour over another: many thousand lines cost the same as a few. */
class Layers {
  constructor(w, h) {
    this.w = w;
    this.h = h;
    this.counts = [0, 1, 2].map(() => new Uint16Array(w * h));  // not chosen; chosen and met; chosen and not met
  }
  /** Between two places inside the picture. */
  line(layer, x0, y0, x1, y1) {
    const counts = this.counts[layer], w = this.w, steps = Math.ceil(Math.max(x1 - x0, Math.abs(y1 - y0), 1));
    const dx = (x1 - x0) / steps, dy = (y1 - y0) / steps;
    for (let i = 0, x = x0, y = y0; i < steps; ++i, x += dx, y += dy) ++counts[(y | 0) * w + (x | 0)];
  }
  dot(layer, x, y, size) {
    const counts = this.counts[layer], { w, h } = this;
    for (let j = 0; j < size; ++j)
      for (let i = 0; i < size; ++i) {
        const px = Math.round(x) + i, py = Math.round(y) + j;
        if (px >= 0 && py >= 0 && px < w && py < h) ++counts[py * w + px];
      }
  }
  /** `strength`: how much one crossing covers, by layer. */
  paint(canvas, strength) {
    const c = canvas.getContext('2d'), image = c.createImageData(this.w, this.h), out = image.data;
    const colours = ['--soft', '--accent', '--differs'].map(word);
    this.counts.forEach((counts, layer) => {
      const [r, g, b] = colours[layer], tables = new Float32Array(256);
      for (let n = 0; n < 256; ++n) tables[n] = (layer ? 1 : 0.5) * (1 - (1 - strength[layer]) ** n);
      for (let i = 0; i < counts.length; ++i) {
        if (!counts[i]) continue;
        const alpha = tables[Math.min(255, counts[i])], at = 4 * i, under = out[at + 3] / 255;
        const all = alpha + under * (1 - alpha);
        out[at] = (r * alpha + out[at] * under * (1 - alpha)) / all;
        out[at + 1] = (g * alpha + out[at + 1] * under * (1 - alpha)) / all;
        out[at + 2] = (b * alpha + out[at + 2] * under * (1 - alpha)) / all;
        out[at + 3] = 255 * all;
      }
    });
    c.putImageData(image, 0, 0);
  }
}

const layerOf = i => !chosen[i] ? 0 : data.met[i] ? 1 : 2;
function strengths(few, least) {
  const counts = [0, 0, 0];
  for (let i = 0; i < count; ++i) ++counts[layerOf(i)];
  return counts.map(n => Math.max(least, Math.min(0.9, few / Math.max(1, n))));
}

function drawParallel() {
  const [c, w, h] = fitted('parallel', () => 380);
  const ratio = c.canvas.width / w, span = h - margin.top - margin.bottom;
  const y = s => margin.top + (1 - s) * span;
  const layers = new Layers(c.canvas.width, c.canvas.height);
  for (let i = 0; i < count; ++i)
    for (let k = 0, layer = layerOf(i); k + 1 < width; ++k) {
      const a = columns[k][i], b = columns[k + 1][i];
      if (a === null || b === null) continue;
      layers.line(layer, ratio * axis(k, w), ratio * y(share(k, a)), ratio * axis(k + 1, w),
                  ratio * y(share(k + 1, b)));
    }
  layers.paint(c.canvas, strengths(200, 0.03));
  c.textAlign = 'center';
  const narrow = axis(1, w) - axis(0, w) < 64;
  for (let k = 0; k < width; ++k) {
    const x = axis(k, w);
    c.strokeStyle = c.fillStyle = css('--ink');
    c.beginPath();
    c.moveTo(x, margin.top);
    c.lineTo(x, h - margin.bottom);
    c.stroke();
    c.fillText(fits(c, names[k], Math.max(40, axis(1, w) - axis(0, w) - 6)), x, 14);
    c.fillStyle = css('--soft');
    c.fillText(text(range[k][1], narrow ? 3 : 5), x, 28);
    c.fillText(text(range[k][0], narrow ? 3 : 5), x, h - 10);
    if (!brush[k]) continue;
    c.fillStyle = css('--accent');
    c.globalAlpha = 0.3;
    c.fillRect(x - 8, y(brush[k][1]), 16, y(brush[k][0]) - y(brush[k][1]));
    c.globalAlpha = 1;
  }
}

/** Words that are as wide as their place. */
function fits(c, words, room) {
  if (c.measureText(words).width <= room) return words;
  let end = words.length;
  while (end > 1 && c.measureText(words.slice(0, end) + '\u2026').width > room) --end;
  return words.slice(0, end) + '\u2026';
}

const most = 9, shown = Math.min(width, most);
const order = [...Array(width).keys()].slice(Math.max(0, width - most));
let cell = 0;

function drawPairs() {
  const [c, w] = fitted('pairs', width_ => width_);
  cell = w / shown;
  const ratio = c.canvas.width / w, layers = new Layers(c.canvas.width, c.canvas.height);
  const dot = Math.max(1, Math.round(ratio * (count > 2000 ? 1 : 2)));
  for (let a = 0; a < shown; ++a)
    for (let b = 0; b < shown; ++b) {
      if (a === b) continue;
      const x0 = b * cell + 3, y0 = a * cell + 3, size = cell - 6, xs = columns[order[b]], ys = columns[order[a]];
      for (let n = 0; n < count; ++n)
        if (xs[n] !== null && ys[n] !== null)
          layers.dot(layerOf(n), ratio * (x0 + share(order[b], xs[n]) * size),
                     ratio * (y0 + (1 - share(order[a], ys[n])) * size), dot);
    }
  layers.paint(c.canvas, strengths(1500, 0.25));
  for (let a = 0; a < shown; ++a)
    for (let b = 0; b < shown; ++b) {
      const x0 = b * cell + 3, y0 = a * cell + 3, size = cell - 6, i = order[b], j = order[a];
      c.strokeStyle = css('--line');
      c.strokeRect(x0, y0, size, size);
      if (a === b) drawDistribution(c, i, x0, y0, size);
      else if (picked >= 0 && columns[i][picked] !== null && columns[j][picked] !== null) {
        c.strokeStyle = css('--ink');
        c.beginPath();
        c.arc(x0 + share(i, columns[i][picked]) * size, y0 + (1 - share(j, columns[j][picked])) * size, 5, 0, 7);
        c.stroke();
      }
    }
}

function drawDistribution(c, k, x0, y0, size) {
  const bins = 24, all = new Array(bins).fill(0), mine = new Array(bins).fill(0);
  for (let i = 0; i < count; ++i) {
    if (columns[k][i] === null) continue;
    const bin = Math.min(bins - 1, Math.floor(share(k, columns[k][i]) * bins));
    ++all[bin];
    mine[bin] += chosen[i];
  }
  const top = Math.max(...all, 1), height = size - 18;
  for (const [numbers, colour] of [[all, '--line'], [mine, '--accent']]) {
    c.fillStyle = css(colour);
    for (let bin = 0; bin < bins; ++bin)
      c.fillRect(x0 + bin * size / bins, y0 + size - height * numbers[bin] / top, size / bins - 1,
                 height * numbers[bin] / top);
  }
  c.fillStyle = css('--ink');
  c.textAlign = 'left';
  c.fillText(fits(c, names[k], size - 8), x0 + 4, y0 + 13);
}

function element(tag, parent, words, name) {
  const made = document.createElement(tag);
  if (words !== undefined) made.textContent = words;
  if (name) made.className = name;
  parent.append(made);
  return made;
}

function drawBars() {
  const place = document.getElementById('bars');
  if (!data.sobol) return;
  element('h2', place, 'What matters');
  element('p', place, 'Shares of the variance: alone (strong), and together with all others (faint).', 'soft');
  data.sobol.forEach((of, kept) => {
    element('h3', place, names[data.parameters + kept]);
    of.forEach(([first, total], parameter) => {
      const bar = element('div', place, undefined, 'bar');
      element('span', bar, names[parameter]);
      const field = element('div', bar);
      for (const x of [total, first])
        element('i', field).style.width = 100 * Math.max(0, Math.min(1, x ?? 0)) + '%';
      element('span', bar, [first, total].map(x => x === null ? '-' : x.toFixed(3)).join(' / '));
    });
  });
}

// A response surface: the quadratic of all parameters that fits a kept value best (least squares), over two of them, the
// others in the middle of what they were.
const surface = { kept: data.parameters, x: 0, y: 1, fit: null, stale: true };

/** Solves a symmetric positive system by Cholesky; null where it is not. */
function solve(matrix, right) {
  const n = right.length, L = matrix.map(row => row.slice());
  for (let i = 0; i < n; ++i)
    for (let j = 0; j <= i; ++j) {
      let sum = L[i][j];
      for (let k = 0; k < j; ++k) sum -= L[i][k] * L[j][k];
      if (i > j) L[i][j] = sum / L[j][j];
      else if (!(sum > 1e-12 * matrix[i][i])) return null;
      else L[i][i] = Math.sqrt(sum);
    }
  const x = right.slice();
  for (let i = 0; i < n; ++i) {
    for (let k = 0; k < i; ++k) x[i] -= L[i][k] * x[k];
    x[i] /= L[i][i];
  }
  for (let i = n - 1; i >= 0; --i) {
    for (let k = i + 1; k < n; ++k) x[i] -= L[k][i] * x[k];
    x[i] /= L[i][i];
  }
  return x;
}

/** 1, s_i, s_i s_j of the shares of the parameters, from -1 to 1. */
function terms(shares) {
  const out = [1, ...shares];
  for (let i = 0; i < shares.length; ++i) for (let j = 0; j <= i; ++j) out.push(shares[i] * shares[j]);
  return out;
}
const centred = (k, x) => 2 * share(k, x) - 1;

function fitSurface(kept) {
  const d = data.parameters, rows = [];
  for (let i = 0; i < count; ++i) {
    const y = columns[kept][i];
    if (y === null) continue;
    rows.push([terms([...Array(d).keys()].map(k => centred(k, columns[k][i]))), y]);
  }
  const n = 1 + d + d * (d + 1) / 2;
  if (rows.length < 2 * n) return null;
  const matrix = Array.from({ length: n }, () => new Array(n).fill(0)), right = new Array(n).fill(0);
  let mean = 0;
  for (const [t, y] of rows) {
    mean += y / rows.length;
    for (let i = 0; i < n; ++i) {
      right[i] += t[i] * y;
      for (let j = 0; j <= i; ++j) matrix[i][j] += t[i] * t[j];
    }
  }
  const c = solve(matrix, right);
  if (!c) return null;
  let left = 0, all = 0;
  for (const [t, y] of rows) {
    left += (y - t.reduce((sum, x, i) => sum + x * c[i], 0)) ** 2;
    all += (y - mean) ** 2;
  }
  return { c, explained: all > 0 ? 1 - left / all : 1 };
}

function drawSurface() {
  surface.stale = false;
  const place = document.getElementById('surface');
  if (data.parameters < 2 || width === data.parameters) return;
  place.hidden = false;
  if (!document.getElementById('surface-kept').length) {
    const fill = (id, from, to, key) => {
      const list = document.getElementById(id);
      for (let k = from; k < to; ++k) element('option', list, names[k]).value = k;
      list.value = surface[key];
      list.onchange = () => {
        surface[key] = Number(list.value);
        if (key === 'kept') surface.fit = null;
        drawSurface();
      };
    };
    fill('surface-kept', data.parameters, width, 'kept');
    fill('surface-x', 0, data.parameters, 'x');
    fill('surface-y', 0, data.parameters, 'y');
  }
  surface.fit ??= fitSurface(surface.kept) ?? { none: true };
  const [c, w, h] = fitted('map', width_ => Math.min(width_, 420));
  const told = document.getElementById('surface-told');
  if (surface.fit.none) {
    told.textContent = 'There are too few runs, or too few different ones, for a quadratic of all parameters.';
    return;
  }
  const { kept, x: kx, y: ky, fit } = surface, cells = 60, values = [];
  let low = Infinity, high = -Infinity;
  for (let j = 0; j < cells; ++j)
    for (let i = 0; i < cells; ++i) {
      const shares = new Array(data.parameters).fill(0);
      shares[kx] = 2 * (i + 0.5) / cells - 1;
      shares[ky] = 2 * (j + 0.5) / cells - 1;
      const v = terms(shares).reduce((sum, t, n) => sum + t * fit.c[n], 0);
      values.push(v);
      low = Math.min(low, v);
      high = Math.max(high, v);
    }
  const left = 70, bottom = 34, right = 100, pw = w - left - right, ph = h - bottom - 10;
  const colours = [word('--paper'), word('--accent')];
  const shade = s => `rgb(${colours[0].map((a, i) => Math.round(a + s * (colours[1][i] - a))).join(',')})`;
  const level = v => high > low ? Math.min(9, Math.floor(10 * (v - low) / (high - low))) / 9 : 0.5;
  for (let j = 0; j < cells; ++j)
    for (let i = 0; i < cells; ++i) {
      c.fillStyle = shade(0.08 + 0.84 * level(values[j * cells + i]));
      c.fillRect(left + i * pw / cells, 10 + (cells - 1 - j) * ph / cells, pw / cells + 0.7, ph / cells + 0.7);
    }
  c.strokeStyle = css('--line');
  c.strokeRect(left, 10, pw, ph);
  c.fillStyle = css('--ink');
  c.textAlign = 'center';
  c.fillText(fits(c, names[kx], pw - 120), left + pw / 2, h - 8);
  c.save();
  c.translate(14, 10 + ph / 2);
  c.rotate(-Math.PI / 2);
  c.fillText(fits(c, names[ky], ph), 0, 0);
  c.restore();
  c.fillStyle = css('--soft');
  c.fillText(text(range[kx][0]), left + 20, h - 8);
  c.fillText(text(range[kx][1]), left + pw - 20, h - 8);
  c.textAlign = 'right';
  c.fillText(text(range[ky][0]), left - 6, 10 + ph);
  c.fillText(text(range[ky][1]), left - 6, 20);
  c.textAlign = 'left';
  for (let k = 0; k < 10; ++k) {
    c.fillStyle = shade(0.08 + 0.84 * k / 9);
    c.fillRect(left + pw + 14, 10 + ph - (k + 1) * ph / 10, 16, ph / 10 + 0.7);
    c.fillStyle = css('--soft');
    if (k % 3 === 0) c.fillText(text(low + (k + 0.5) * (high - low) / 10), left + pw + 36, 10 + ph - (k + 0.35) * ph / 10);
  }
  const share100 = (100 * fit.explained).toFixed(1);
  told.textContent = `The quadratic explains ${share100} % of the variance of ${names[kept]}` +
    (fit.explained < 0.9 ? ': look at the points, not at it.' : '.');
}

function drawTable() {
  const table = document.getElementById('runs');
  table.replaceChildren();
  const head = element('tr', table);
  ['run', ...names].forEach((name, k) => {
    const mark = sorted === k - 1 ? (rising ? ' \u2191' : ' \u2193') : '';
    element('th', head, name + mark, 'n').onclick = () => {
      rising = sorted === k - 1 ? !rising : true;
      sorted = k - 1;
      drawTable();
    };
  });
  const list = [];
  for (let i = 0; i < count; ++i) if (chosen[i]) list.push(i);
  const key = sorted < 0 ? data.run : columns[sorted];
  list.sort((a, b) => {
    if (key[a] === null || key[b] === null) return (key[a] === null) - (key[b] === null);
    return (rising ? 1 : -1) * (key[a] - key[b]);
  });
  for (const i of list.slice(0, 200)) {
    const row = element('tr', table);
    row.onclick = () => pick(i);
    if (!data.met[i]) row.className = 'differs';
    element('td', row, data.run[i], 'n');
    for (let k = 0; k < width; ++k) element('td', row, text(columns[k][i]), 'n');
  }
}

function pick(i) {
  picked = i;
  const point = document.getElementById('point');
  point.replaceChildren();
  const colour = ['red', 'amber', 'green'][data.verdict[i]];
  element('span', point, `Run ${data.run[i]} (${colour}, ${data.met[i] ? 'meets' : 'does not meet'} what is ` +
    'required): ' + names.map((name, k) => `${name} ${text(columns[k][i])}`).join(', ') + '. Again: ');
  element('code', point, `kardan study show ${data.file} ${data.run[i]}`);
  element('span', point, '; with its replay: ');
  element('code', point, `kardan study show ${data.file} ${data.run[i]} --out run.yaml && ` +
    'kardan run run.yaml --every 0.02 --out run.html');
  drawPairs();
}

let waiting = false;
function drawAll() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    choose();
    drawParallel();
    drawPairs();
    if (surface.stale) drawSurface();
    if (!drag) drawTable();
    document.documentElement.dataset.drawn = String(1 + Number(document.documentElement.dataset.drawn || 0));
  });
}

const parallel = document.getElementById('parallel');
const along = e => {
  const y = e.offsetY - margin.top, span = parallel.clientHeight - margin.top - margin.bottom;
  return Math.max(0, Math.min(1, 1 - y / span));
};
parallel.onpointerdown = e => {
  let best = 0;
  for (let k = 1; k < width; ++k)
    if (Math.abs(axis(k, parallel.clientWidth) - e.offsetX) <
        Math.abs(axis(best, parallel.clientWidth) - e.offsetX)) best = k;
  drag = { k: best, from: along(e) };
  brush[best] = null;
  parallel.setPointerCapture(e.pointerId);
};
parallel.onpointermove = e => {
  if (!drag) return;
  const to = along(e);
  brush[drag.k] = Math.abs(to - drag.from) < 0.01 ? null : [Math.min(to, drag.from), Math.max(to, drag.from)];
  drawAll();
};
parallel.onpointerup = () => { drag = null; drawAll(); };

document.getElementById('pairs').onclick = e => {
  const b = Math.floor(e.offsetX / cell), a = Math.floor(e.offsetY / cell);
  if (a === b || a >= shown || b >= shown) return;
  const i = order[b], j = order[a], size = cell - 6;
  const x = (e.offsetX - b * cell - 3) / size, y = 1 - (e.offsetY - a * cell - 3) / size;
  let best = -1, nearest = 0.05 ** 2;
  for (let n = 0; n < count; ++n) {
    if (columns[i][n] === null || columns[j][n] === null) continue;
    const d = (share(i, columns[i][n]) - x) ** 2 + (share(j, columns[j][n]) - y) ** 2;
    if (d < nearest) { nearest = d; best = n; }
  }
  if (best >= 0) pick(best);
};
function drawAnew() {
  surface.stale = true;
  words.clear();
  drawAll();
}
window.onresize = drawAnew;
matchMedia('(prefers-color-scheme: dark)').onchange = drawAnew;
drawBars();
drawAll();
)js";
}

}  // namespace kardan::cli
