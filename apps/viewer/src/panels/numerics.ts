// How the run went: step sizes, error estimates, energy, constraint residuals.

import type { Numbers, Report } from '../report';
import type { Timeline } from '../timeline';
import { accuracyOf } from '../accuracy';
import { Chart, type Series } from '../ui/chart';
import { make } from '../ui/dom';

/** True where a logarithmic axis has something to show. */
function hasPositive(values: Numbers | null): values is Numbers {
  return values !== null && values.some((v) => v > 0);
}

function emptyChart(title: string, text: string): HTMLElement {
  return make('section', { class: 'chart chart-empty' }, make('h3', {}, title), make('p', {}, text));
}

export function makeNumerics(report: Report, timeline: Timeline): { element: HTMLElement; charts: Chart[] } {
  const element = make('div', { class: 'chart-stack' });
  const charts: Chart[] = [];
  const { header } = report;
  const add = (options: ConstructorParameters<typeof Chart>[0], series: Series[]): void => {
    const chart = new Chart(options, series, timeline, header.title);
    charts.push(chart);
    element.append(chart.element);
  };
  const { steps, energy, residuals } = header;

  if (steps) {
    const time = report.series(steps.time);
    const size = report.series(steps.size);
    const error = report.series(steps.error);
    const rejected = report.series(steps.rejected);
    if (time && hasPositive(size)) {
      const series: Series[] = [{ label: 'accepted', time, values: size }];
      if (rejected && rejected.length > 0) {
        const sizes = report.series(steps.rejected_size) ?? sizesAt(rejected, time, size);
        series.push({ label: 'rejected here', time: rejected, values: sizes, points: true, color: '--bad' });
      }
      add({ title: 'Step size', unit: 's', scale: 'log' }, series);
    }
    if (time && hasPositive(error))
      add(
        {
          title: 'Estimated error of a step',
          unit: 'of the tolerance',
          scale: 'log',
          level: { value: 1, label: 'limit' },
        },
        [{ label: 'accepted steps', time, values: error }],
      );
  }

  const accuracy = accuracyOf(report);
  if (accuracy) {
    const { times, position, velocity } = accuracy.bands;
    const series: Series[] = [];
    for (const [label, values] of [['position', position], ['velocity', velocity]] as const)
      if (values.some((v) => (v ?? 0) > 0)) series.push({ label, time: times, values: values.map((v) => v ?? NaN) });
    if (series.length > 0)
      add(
        {
          title: 'Measured error',
          unit: 'of 1 + |value|',
          scale: 'log',
          level: { value: accuracy.asked, label: 'asked for' },
          note: 'The worst component against a tighter run.',
        },
        series,
      );
  }

  if (residuals) {
    const time = report.series(residuals.time);
    const series: Series[] = [];
    for (const level of ['position', 'velocity', 'acceleration'] as const) {
      const values = report.series(residuals[level]);
      if (time && hasPositive(values)) series.push({ label: level, time, values });
    }
    if (series.length > 0)
      add({ title: 'Constraint residuals', unit: 'scaled', scale: 'log' }, series);
    else
      element.append(
        emptyChart('Constraint residuals', (header.joints?.length ?? 0) > 0
          ? 'They are exactly zero at every level, all the time.'
          : 'The model has no constraints: nothing to drift from.'),
      );
  }

  if (energy) {
    const time = report.series(energy.time);
    const kinetic = report.series(energy.kinetic);
    const potential = report.series(energy.potential);
    const work = report.series(energy.work);
    const balance = report.series(energy.balance);
    if (time && kinetic && potential) {
      const series: Series[] = [
        { label: 'kinetic', time, values: kinetic },
        { label: 'potential', time, values: potential },
        { label: 'total', time, values: kinetic.map((k, i) => k + potential[i]) },
      ];
      if (work) series.push({ label: 'work of forces', time, values: work, dashed: true });
      add({ title: 'Energy', unit: 'J' }, series);
    }
    if (time && balance && balance.some((v) => v !== 0))
      add(
        {
          title: 'Energy balance error',
          unit: 'J',
          scale: 'log',
          note: 'Change of energy minus work of the forces: what the integration lost or gained.',
        },
        [{ label: '|error|', time, values: balance.map(Math.abs) }],
      );
  }
  if (!element.hasChildNodes())
    element.append(make('p', { class: 'empty' }, 'This report carries no history of steps.'));
  return { element, charts };
}

/** For rejected attempts without a size: the accepted step at that time. */
function sizesAt(times: Numbers, stepTimes: Numbers, sizes: Numbers): Float64Array {
  let k = 0;
  return Float64Array.from(times, (t) => {
    while (k + 1 < stepTimes.length && stepTimes[k] <= t) ++k;
    return sizes[k];
  });
}
