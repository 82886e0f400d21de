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
const text = x => x === null ? '-' : String(Number(x.toPrecision(5)));
const brush = names.map(() => null);  // [low, high] in shares of the axis
const chosen = new Uint8Array(count);
let picked = -1, sorted = -1, rising = true;

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

function drawParallel() {
  const [c, w, h] = fitted('parallel', () => 380);
  const span = h - margin.top - margin.bottom, y = s => margin.top + (1 - s) * span;
  // Few lines are drawn strongly, many faintly.
  for (const pass of [0, 1]) {
    let lines = 0;
    for (let i = 0; i < count; ++i) lines += chosen[i] === pass;
    c.globalAlpha = Math.max(0.03, Math.min(0.7, 150 / Math.max(1, lines))) * (pass ? 1 : 0.35);
    for (const met of [1, 0]) {
      c.strokeStyle = pass ? css(met ? '--accent' : '--differs') : css('--soft');
      c.beginPath();
      for (let i = 0; i < count; ++i) {
        if (chosen[i] !== pass || data.met[i] !== met) continue;
        let down = false;
        for (let k = 0; k < width; ++k) {
          const v = columns[k][i];
          if (v === null) { down = false; continue; }
          down ? c.lineTo(axis(k, w), y(share(k, v))) : c.moveTo(axis(k, w), y(share(k, v)));
          down = true;
        }
      }
      c.stroke();
    }
  }
  c.globalAlpha = 1;
  c.textAlign = 'center';
  for (let k = 0; k < width; ++k) {
    const x = axis(k, w);
    c.strokeStyle = c.fillStyle = css('--ink');
    c.beginPath();
    c.moveTo(x, margin.top);
    c.lineTo(x, h - margin.bottom);
    c.stroke();
    c.fillText(names[k], x, 14);
    c.fillStyle = css('--soft');
    c.fillText(text(range[k][1]), x, 28);
    c.fillText(text(range[k][0]), x, h - 10);
    if (!brush[k]) continue;
    c.fillStyle = css('--accent');
    c.globalAlpha = 0.3;
    c.fillRect(x - 8, y(brush[k][1]), 16, y(brush[k][0]) - y(brush[k][1]));
    c.globalAlpha = 1;
  }
}

const most = 9, shown = Math.min(width, most);
const order = [...Array(width).keys()].slice(Math.max(0, width - most));
let cell = 0;

function drawPairs() {
  const [c, w] = fitted('pairs', width_ => width_);
  cell = w / shown;
  for (let a = 0; a < shown; ++a)
    for (let b = 0; b < shown; ++b) {
      const x0 = b * cell + 3, y0 = a * cell + 3, size = cell - 6, i = order[b], j = order[a];
      c.strokeStyle = css('--line');
      c.strokeRect(x0, y0, size, size);
      a === b ? drawDistribution(c, i, x0, y0, size) : drawCloud(c, i, j, x0, y0, size);
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
  for (let bin = 0; bin < bins; ++bin)
    for (const [n, colour] of [[all[bin], '--line'], [mine[bin], '--accent']]) {
      c.fillStyle = css(colour);
      c.fillRect(x0 + bin * size / bins, y0 + size - height * n / top, size / bins - 1, height * n / top);
    }
  c.fillStyle = css('--ink');
  c.textAlign = 'left';
  c.fillText(names[k], x0 + 4, y0 + 13);
}

function drawCloud(c, i, j, x0, y0, size) {
  const pass = [[0, 0, '--line'], [1, 1, '--accent'], [1, 0, '--differs']];
  const dot = count > 2000 ? 1.2 : 2.2;
  for (const [is, met, colour] of pass) {
    c.fillStyle = css(colour);
    for (let n = 0; n < count; ++n) {
      if (chosen[n] !== is || (is && data.met[n] !== met)) continue;
      const x = columns[i][n], y = columns[j][n];
      if (x === null || y === null) continue;
      c.fillRect(x0 + share(i, x) * size - dot / 2, y0 + (1 - share(j, y)) * size - dot / 2, dot, dot);
    }
  }
  if (picked < 0 || columns[i][picked] === null || columns[j][picked] === null) return;
  c.strokeStyle = css('--ink');
  c.beginPath();
  c.arc(x0 + share(i, columns[i][picked]) * size, y0 + (1 - share(j, columns[j][picked])) * size, 5, 0, 7);
  c.stroke();
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
      element('span', bar, `${text(first)} / ${text(total)}`);
    });
  });
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
    drawTable();
  });
}

const parallel = document.getElementById('parallel');
let drag = null;
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
window.onresize = drawAll;
matchMedia('(prefers-color-scheme: dark)').onchange = drawAll;
drawBars();
drawAll();
)js";
}

}  // namespace kardan::cli
