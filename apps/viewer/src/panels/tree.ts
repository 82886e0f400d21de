// The model as a tree, and what is known about the selected part.

import type { Report, TreeNode } from '../report';
import { icon, make } from '../ui/dom';

/** The tree of a report, or one made of what it lists. */
function treeOf(report: Report): TreeNode {
  const { header } = report;
  if (header.tree) return header.tree;
  const section = (name: string, children: TreeNode[]): TreeNode[] =>
    children.length > 0 ? [{ name, kind: 'section', children }] : [];
  const between = (bodies: number[]): string => bodies.map((i) => report.bodies[i]?.name ?? '?').join(' – ');
  return {
    name: header.title,
    kind: 'model',
    children: [
      ...section('bodies', report.bodies.map((b) => ({ name: b.name, kind: 'body', text: b.text }))),
      ...section('joints', (header.joints ?? []).map((j) => ({ name: j.name, kind: j.type, text: between(j.bodies) }))),
      ...section('forces', (header.forces ?? []).map((f) => ({ name: f.name, kind: f.type, text: between(f.bodies) }))),
    ],
  };
}

export class Tree {
  readonly element: HTMLElement;
  onSelect: (body: number | null) => void = () => {};
  private readonly root: HTMLElement;

  constructor(private readonly report: Report) {
    this.root = make('ul', { class: 'tree', role: 'tree', 'aria-label': 'Model' });
    this.root.append(this.item(treeOf(report), 1));
    this.root.querySelector<HTMLElement>('[role=treeitem]')?.setAttribute('tabindex', '0');
    this.root.addEventListener('keydown', (event) => this.key(event));
    this.root.addEventListener('click', (event) => {
      const item = (event.target as Element).closest<HTMLElement>('[role=treeitem]');
      if (!item) return;
      if (item.hasAttribute('aria-expanded')) this.setOpen(item, item.getAttribute('aria-expanded') !== 'true');
      this.focus(item);
      this.choose(item);
    });
    this.element = make('div', { class: 'model' }, this.root);
  }

  private item(node: TreeNode, level: number, section = ''): HTMLElement {
    const children = node.children ?? [];
    // "bodies" has said that its children are bodies.
    const known = node.kind === undefined || section.startsWith(node.kind.slice(0, 3));
    const label = make(
      'span',
      { class: 'tree-label' },
      children.length > 0 ? icon('chevron') : make('span', { class: 'tree-gap' }),
      make('span', { class: 'tree-name' }, node.name),
      children.length > 0 && level > 1 ? make('span', { class: 'tree-count' }, String(children.length)) : null,
      node.kind && !known && node.kind !== 'section' && node.kind !== 'model'
        ? make('span', { class: 'tree-kind' }, node.kind)
        : null,
      node.text ? make('span', { class: 'tree-text' }, node.text) : null,
    );
    label.style.setProperty('--level', String(level - 1));
    // Open what fits a glance.
    const open = level === 1 || (level === 2 && children.length <= 16);
    const item = make('li', {
      role: 'treeitem',
      tabindex: '-1',
      'aria-level': level,
      'data-name': node.name,
      'aria-expanded': children.length > 0 ? String(open) : null,
    });
    item.append(label);
    if (children.length > 0)
      item.append(make('ul', { role: 'group' }, ...children.map((c) => this.item(c, level + 1, node.name))));
    return item;
  }

  private visible(): HTMLElement[] {
    return [...this.root.querySelectorAll<HTMLElement>('[role=treeitem]')].filter(
      (item) => !item.parentElement?.closest('[aria-expanded=false]'),
    );
  }

  private setOpen(item: HTMLElement, open: boolean): void {
    item.setAttribute('aria-expanded', String(open));
  }

  private focus(item: HTMLElement): void {
    this.root.querySelector('[tabindex="0"]')?.setAttribute('tabindex', '-1');
    item.setAttribute('tabindex', '0');
    item.focus({ preventScroll: false });
  }

  private choose(item: HTMLElement): void {
    const body = this.report.bodies.findIndex((b) => b.name === item.dataset.name);
    if (body >= 0) this.onSelect(body);
  }

  private key(event: KeyboardEvent): void {
    const item = (event.target as Element).closest<HTMLElement>('[role=treeitem]');
    if (!item) return;
    const items = this.visible();
    const at = items.indexOf(item);
    const open = item.getAttribute('aria-expanded');
    let next: HTMLElement | null | undefined;
    if (event.key === 'ArrowDown') next = items[at + 1];
    else if (event.key === 'ArrowUp') next = items[at - 1];
    else if (event.key === 'Home') next = items[0];
    else if (event.key === 'End') next = items[items.length - 1];
    else if (event.key === 'ArrowRight') {
      if (open === 'false') this.setOpen(item, true);
      else if (open === 'true') next = items[at + 1];
    } else if (event.key === 'ArrowLeft') {
      if (open === 'true') this.setOpen(item, false);
      else next = item.parentElement?.closest<HTMLElement>('[role=treeitem]');
    } else if (event.key === 'Enter' || event.key === ' ') {
      if (open !== null) this.setOpen(item, open !== 'true');
      this.choose(item);
    } else return;
    event.preventDefault();
    event.stopPropagation();
    if (next) this.focus(next);
  }

  /** Shows which body is selected elsewhere. */
  select(body: number | null): void {
    for (const item of this.root.querySelectorAll('[aria-selected]')) item.removeAttribute('aria-selected');
    if (body === null) return;
    const name = CSS.escape(this.report.bodies[body].name);
    const item = this.root.querySelector<HTMLElement>(`[role=treeitem][data-name="${name}"]`);
    if (!item) return;
    item.setAttribute('aria-selected', 'true');
    for (let up = item.parentElement?.closest<HTMLElement>('[role=treeitem]'); up; up = up.parentElement?.closest<HTMLElement>('[role=treeitem]'))
      this.setOpen(up, true);
    item.querySelector('.tree-label')?.scrollIntoView({ block: 'nearest' });
  }
}
