// The list of events; a press on one goes to its time.

import { number } from '../format';
import type { Event, Report } from '../report';
import type { Timeline } from '../timeline';
import { make } from '../ui/dom';

/** The last part of a name, which tells kinds of events apart. */
function kindOf(event: Event): string {
  return event.name.slice(event.name.lastIndexOf('.') + 1);
}

export function makeEvents(report: Report, timeline: Timeline): { element: HTMLElement; showTime(): void } {
  const events = [...(report.header.events ?? [])].sort((a, b) => a.time - b.time);
  if (events.length === 0)
    return { element: make('p', { class: 'empty' }, 'Nothing happened on the way: no events.'), showTime() {} };
  const kinds = [...new Set(events.map(kindOf))];
  const arrow: Record<string, string> = { rising: '↗', falling: '↘' };
  const rows = events.map((event) => {
    const button = make(
      'button',
      { type: 'button', class: 'event', onclick: () => timeline.set(event.time) },
      make('span', { class: 'event-time' }, `${number(event.time, 6)} s`),
      make('span', { class: `event-dot kind-${(kinds.indexOf(kindOf(event)) % 4) + 1}` }),
      make(
        'span',
        { class: 'event-name' },
        make('strong', {}, event.name),
        event.what ? make('small', {}, event.what) : null,
      ),
      event.direction
        ? make('span', { class: 'event-direction' }, `${event.direction} ${arrow[event.direction] ?? ''}`)
        : null,
    );
    return make('li', {}, button);
  });
  const element = make(
    'div',
    {},
    make('p', { class: 'lead' }, `${events.length} ${events.length === 1 ? 'event' : 'events'}. Press one to go there.`),
    make('ol', { class: 'events' }, ...rows),
  );
  return {
    element,
    showTime() {
      events.forEach((event, i) => rows[i].classList.toggle('past', event.time <= timeline.time));
    },
  };
}
