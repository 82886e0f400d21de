// Tabs as assistive technology knows them: arrow keys move, one panel is shown.

import { make } from './dom';

export interface Tab {
  id: string;
  label: string;
  content: HTMLElement;
  /** Called whenever the tab becomes visible. */
  show?: () => void;
}

export class Tabs {
  readonly list: HTMLElement;
  readonly panels: HTMLElement;
  current: string;
  private readonly buttons = new Map<string, HTMLButtonElement>();

  constructor(private readonly tabs: Tab[]) {
    this.current = tabs[0].id;
    this.list = make('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Parts of the report' });
    this.panels = make('div', { class: 'panels' });
    for (const tab of tabs) {
      const button = make(
        'button',
        { type: 'button', role: 'tab', id: `tab-${tab.id}`, 'aria-controls': `panel-${tab.id}`, onclick: () => this.open(tab.id) },
        tab.label,
      );
      this.buttons.set(tab.id, button);
      this.list.append(button);
      this.panels.append(
        make('div', { role: 'tabpanel', id: `panel-${tab.id}`, class: 'panel', 'aria-labelledby': `tab-${tab.id}`, tabindex: 0 }, tab.content),
      );
    }
    this.list.addEventListener('keydown', (event) => {
      const at = tabs.findIndex((tab) => tab.id === this.current);
      const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
      if (next === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      this.open(tabs[(next + tabs.length) % tabs.length].id);
      this.buttons.get(this.current)?.focus();
    });
    this.open(this.current);
  }

  open(id: string): void {
    this.current = id;
    for (const [name, button] of this.buttons) {
      button.setAttribute('aria-selected', String(name === id));
      button.tabIndex = name === id ? 0 : -1;
    }
    for (const tab of this.tabs) {
      const panel = tab.content.parentElement;
      if (panel) panel.hidden = tab.id !== id;
    }
    this.buttons.get(id)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    this.tabs.find((tab) => tab.id === id)?.show?.();
  }
}
