// The verdict in plain words, the figures behind it, and the whole certificate.

import { count, number, rough, words } from '../format';
import { seal, type Report } from '../report';
import { download, fileName, icon, make } from '../ui/dom';

type Json = Record<string, unknown>;

function child(object: Json | undefined, key: string): Json | undefined {
  const value = object?.[key];
  return typeof value === 'object' && value !== null ? (value as Json) : undefined;
}

function tile(label: string, value: string, hint?: string): HTMLElement {
  return make(
    'div',
    { class: 'tile', title: hint },
    make('dt', {}, label),
    make('dd', {}, value),
  );
}

/** The figures people ask for first. */
function tiles(certificate: Json): HTMLElement {
  const list = make('dl', { class: 'tiles' });
  const put = (label: string, value: unknown, show: (v: number) => string, hint?: string): void => {
    if (typeof value === 'number') list.append(tile(label, show(value), hint));
  };
  put('Tolerance', certificate.tolerance, rough, 'Accuracy that was asked for');
  const accuracy = child(certificate, 'accuracy');
  if (accuracy) {
    put('Asked for', accuracy.asked, rough, 'Accuracy that was to be certified');
    put('Measured error', Math.max(Number(accuracy.position), Number(accuracy.velocity)), rough,
      'Largest difference from a tighter run, of 1 + |value|');
  }
  const residuals = child(certificate, 'residuals');
  const values = Object.values(residuals ?? {}).filter((v): v is number => typeof v === 'number');
  if (values.length > 0)
    put('Constraints held to', Math.max(...values), rough, 'Largest scaled residual of all levels and times');
  put('Energy balance error', child(certificate, 'energy')?.balance_error, (v) => `${rough(v)} J`);
  put('Steps', certificate.steps, count);
  put('Rejected', certificate.rejected, count, 'Attempts whose error was too large; they leave no trace');
  put('Evaluations', certificate.evaluations, count);
  put('CPU time', certificate.cpu_seconds, (v) => `${number(v, 3)} s`);
  put('Reached', certificate.t_reached, (v) => `${number(v, 6)} s`);
  return list;
}

/** Small values in one line, larger ones to be opened. */
function entry(key: string, value: unknown): HTMLElement {
  const name = words(key);
  if (Array.isArray(value)) {
    if (value.every((v) => typeof v !== 'object' || v === null))
      return row(name, value.length > 0 ? value.map(plain).join(', ') : 'none');
    return fold(`${name} (${value.length})`, value.map((v, i) => entry(String(i + 1), v)));
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    if (entries.length === 0) return row(name, 'none');
    const flat = entries.every(([, v]) => typeof v !== 'object' || v === null);
    if (flat && entries.length <= 3 && /^\d+$/.test(key))
      return row(name, entries.map(([k, v]) => `${words(k)} ${plain(v)}`).join(' · '));
    return fold(name, entries.map(([k, v]) => entry(k, v)));
  }
  return row(name, plain(value));
}

function plain(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) < 1e6 ? count(value) : number(value, 7);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (value === null || value === '') return '–';
  return String(value);
}

function row(name: string, value: string): HTMLElement {
  return make('div', { class: 'fact' }, make('span', { class: 'key' }, name), make('span', { class: 'val' }, value));
}

function fold(name: string, children: HTMLElement[]): HTMLElement {
  return make(
    'details',
    { class: 'fold' },
    make('summary', {}, icon('chevron'), name),
    make('div', { class: 'fold-body' }, ...children),
  );
}

/** Keys that the tiles or other tabs already show, or that are long. */
const shownElsewhere = new Set(['final', 'events', 'accuracy']);

export function makeCertificate(report: Report): HTMLElement {
  const { verdict, certificate, title, generator } = report.header;
  const element = make('div', { class: 'certificate' });
  if (verdict) {
    const sentences = verdict.sentences ?? [];
    element.append(
      make(
        'section',
        { class: `verdict ${seal(verdict).tone}` },
        make('div', { class: 'seal' }, icon(seal(verdict).icon)),
        make(
          'div',
          {},
          make('h2', {}, verdict.ok || verdict.reason === 'refuted' ? seal(verdict).word : verdict.reason === 'accuracy_not_reached' ? 'Accuracy not reached' : `Ended early: ${words(verdict.reason ?? 'failed')}`),
          make('ul', {}, ...sentences.map((sentence) => make('li', {}, sentence))),
        ),
      ),
    );
  }
  if (!certificate) return element;
  element.append(tiles(certificate));
  const facts = Object.entries(certificate)
    .filter(([key, value]) => !shownElsewhere.has(key) && value !== '')
    .map(([key, value]) => entry(key, value));
  element.append(
    make('h3', {}, 'Certificate'),
    make('div', { class: 'facts' }, ...facts),
    make(
      'button',
      {
        type: 'button',
        class: 'text-button',
        onclick: () => {
          const text = JSON.stringify(certificate, null, 2);
          download(fileName(title, 'certificate.json'), new Blob([text], { type: 'application/json' }));
        },
      },
      icon('download'),
      'Save as JSON',
    ),
  );
  if (generator) element.append(make('p', { class: 'made-by' }, `Made by ${generator}.`));
  return element;
}
