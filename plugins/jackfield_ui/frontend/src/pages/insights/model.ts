/** What the insights page asks for and makes of the answers; pure. */

import type { Schemas } from '../../api/types';
import { locale, t } from '../../language/messages';

export type Insights = Schemas['InsightsShown'];
export type Sums = Schemas['InsightSums'];
export type WorkflowSums = Schemas['InsightWorkflow'];
export type SlowNode = Schemas['SlowNode'];

export const PERIODS = [
  { value: 'day', label: t('Last 24 hours') },
  { value: 'week', label: t('Last 7 days') },
  { value: 'month', label: t('Last 30 days') },
  { value: 'quarter', label: t('Last 90 days') },
  { value: 'year', label: t('Last year') },
] as const;

/** Days that a period goes back from today. */
const BACK: Record<Period, number> = { day: 0, week: 6, month: 29, quarter: 89, year: 364 };

/** The first day of a period, for reports by the day. */
export function firstDay(period: Period, today: Date): string {
  const first = new Date(today.getFullYear(), today.getMonth(), today.getDate() - BACK[period]);
  return new Intl.DateTimeFormat('sv-SE').format(first);
}

export interface ModelCost {
  model: string;
  answers: number;
  /** US dollars. */
  cost: number;
}

export type Period = (typeof PERIODS)[number]['value'];

export function isPeriod(value: string | null): value is Period {
  return PERIODS.some((one) => one.value === value);
}

/** How much more or less it is than before, as a share of before; nothing where there was none. */
export function changeOf(now: number, before: number): number | null {
  return before > 0 ? (now - before) / before : null;
}

const MINUTE_MS = 60_000;

export function minutes(value: number): number {
  return value * MINUTE_MS;
}

/** Of the workflow that fails most first; those that never failed are left out. */
export function failing(rows: readonly WorkflowSums[]): WorkflowSums[] {
  return rows
    .filter(({ failed }) => failed > 0)
    .sort((a, b) => b.failed - a.failed || b.failureRate - a.failureRate || a.workflowId.localeCompare(b.workflowId));
}

/** Names of the steps, in the time of whoever looks: hours, or days of UTC. */
export function stepNames(insights: Insights): string[] {
  const hours = insights.unit === 'hour';
  const format = new Intl.DateTimeFormat(locale(), {
    ...(hours ? { hour: 'numeric', weekday: 'short' } : { day: 'numeric', month: 'short', timeZone: 'UTC' }),
  });
  return insights.steps.map(({ at }) => format.format(new Date(at)));
}
