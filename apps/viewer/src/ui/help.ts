// The keys of the replay, in a dialog.

import { iconButton, make } from './dom';

const keys: [string, string][] = [
  ['Space', 'play or pause'],
  ['← →', 'one frame back or on (shift: ten)'],
  ['Home, End', 'to the start, to the end'],
  [', .', 'slower, faster'],
  ['C', 'compare with this time: plots show the differences from it (again: no longer)'],
  ['F', 'show everything'],
  ['H, G, I', 'hide the selected body, see through it, see only it'],
  ['A', 'show all bodies'],
  ['Esc', 'select nothing'],
  ['In the picture', 'arrows turn, shift + arrows move, + and − zoom'],
  ['Mouse', 'drag turns, right drag moves, wheel zooms, a click selects a body'],
  ['In a plot', 'drag zooms all plots in time and the replay repeats that stretch, double click shows all, a click goes to that time, with shift it compares with that time'],
];

/** The button that opens it. */
export function addHelp(): HTMLElement {
  const list = make('dl', { class: 'keys' });
  for (const [key, meaning] of keys) list.append(make('dt', {}, key), make('dd', {}, meaning));
  const dialog = make('dialog', { class: 'help', 'aria-label': 'Keys and mouse' });
  dialog.append(
    make('h2', {}, 'Keys and mouse'),
    list,
    make('button', { type: 'button', class: 'text-button', onclick: () => dialog.close() }, 'Close'),
  );
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  return iconButton('help', 'Keys and mouse', () => dialog.showModal());
}
