// Opens the report of this page.

import './style.css';
import { App } from './app';
import { readReport } from './report';
import { make } from './ui/dom';

function say(title: string, text: string): void {
  document.getElementById('app')?.replaceChildren(
    make('main', { class: 'message' }, make('h1', {}, title), make('p', {}, text)),
  );
}

try {
  const report = await readReport();
  if (report) new App(report, document.getElementById('app') as HTMLElement);
  else say('No result in this file', 'This is the viewer alone. Make a report with: kardan run MODEL --out report.html');
} catch (error) {
  say('This report cannot be shown', error instanceof Error ? error.message : String(error));
}
