/** What the usage page asks for and makes of the answers; pure. */

import type { Series } from '../../components/Chart';
import { t } from '../../language/messages';

export const PERIODS = [
  { value: 'today', label: t('Today') },
  { value: 'yesterday', label: t('Yesterday') },
  { value: 'week', label: t('This week') },
  { value: 'month', label: t('This month') },
  { value: '7d', label: t('Last 7 days') },
  { value: '30d', label: t('Last 30 days') },
  { value: 'all', label: t('All time') },
] as const;

export type Period = (typeof PERIODS)[number]['value'];
export type Part = 'model' | 'profile' | 'provider' | 'agent';
export type Measure = 'cost' | 'tokens';
export type Step = 'daily' | 'weekly' | 'monthly';

export const PARTS: readonly { value: Part; label: string }[] = [
  { value: 'model', label: t('Model') },
  { value: 'profile', label: t('Profile') },
  { value: 'provider', label: t('Provider') },
  { value: 'agent', label: t('Agent') },
];

export const BY: Record<Part, string> = {
  model: t('By model'),
  profile: t('By profile'),
  provider: t('By provider'),
  agent: t('By agent'),
};

/** The report of a part, and how a row without a name is called. */
export const REPORTS: Record<Part, { kind: 'models' | 'profiles' | 'providers' | 'agents'; none: string }> = {
  model: { kind: 'models', none: t('Model not named') },
  profile: { kind: 'profiles', none: t('No profile') },
  provider: { kind: 'providers', none: t('Provider not named') },
  agent: { kind: 'agents', none: t('Agent not named') },
};

export interface Tokens {
  input_tokens: number;
  output_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
}

export interface Sums {
  answers: number;
  tokens: Tokens;
  total_tokens: number;
  cost: { total_cost: number };
  [name: string]: unknown;
}

export interface Row extends Sums {
  first_used: string;
  last_used: string;
  models: string[];
  agents: string[];
  breakdown?: Sums[] | null;
}

export interface Filter {
  period: Period;
  profile: string;
  agent: string;
  provider: string;
  model: string;
}

export function isPeriod(value: string | null): value is Period {
  return PERIODS.some((one) => one.value === value);
}

export function tokensOf(tokens: Tokens): number {
  return (
    tokens.input_tokens + tokens.output_tokens + tokens.cache_creation_input_tokens + tokens.cache_read_input_tokens
  );
}

/** First and last day of a period, both included; none for all time. Weeks begin on Monday. */
export function daysOf(period: Period, today: Date): { since?: string; until?: string } {
  const back = (days: number) => new Date(today.getFullYear(), today.getMonth(), today.getDate() - days);
  const first: Record<Exclude<Period, 'all'>, Date> = {
    today,
    yesterday: back(1),
    week: back((today.getDay() + 6) % 7),
    month: new Date(today.getFullYear(), today.getMonth(), 1),
    '7d': back(6),
    '30d': back(29),
  };
  if (period === 'all') return {};
  return { since: iso(first[period]), until: iso(period === 'yesterday' ? back(1) : today) };
}

export function iso(day: Date): string {
  const two = (number: number) => String(number).padStart(2, '0');
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

/** A day of a report as local midnight. */
export function dayOf(text: string): Date {
  const [year = 1970, month = 1, day = 1] = text.split('-').map(Number);
  return new Date(year, month - 1, day);
}

const LONG = { daily: 92, weekly: 730 };

/** In which steps so many days can still be read. */
export function stepOf(days: readonly string[]): Step {
  const sorted = [...days].sort();
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (!first || !last) return 'daily';
  const span = (dayOf(last).getTime() - dayOf(first).getTime()) / 86_400_000;
  return span > LONG.weekly ? 'monthly' : span > LONG.daily ? 'weekly' : 'daily';
}

export const KEYS: Record<Step, string> = { daily: 'date', weekly: 'week', monthly: 'month' };

/** The keys of every step from the first to the last row, so that days without usage show as such. */
export function stepsBetween(step: Step, first: string, last: string): string[] {
  const found: string[] = [];
  let at = dayOf(first);
  const end = dayOf(last);
  while (at <= end && found.length < 2_000) {
    found.push(step === 'monthly' ? iso(at).slice(0, 7) : iso(at));
    at =
      step === 'monthly'
        ? new Date(at.getFullYear(), at.getMonth() + 1, 1)
        : new Date(at.getFullYear(), at.getMonth(), at.getDate() + (step === 'weekly' ? 7 : 1));
  }
  return found;
}

export function amount(sums: Sums, measure: Measure): number {
  return measure === 'cost' ? sums.cost.total_cost : sums.total_tokens;
}

const MOST_SERIES = 6;

/** One series for each of the largest parts, the others together. */
export function seriesOf(
  rows: readonly Row[],
  keys: readonly string[],
  { step, part, measure, none }: { step: Step; part: Part; measure: Measure; none: string },
): Series[] {
  const byKey = new Map(rows.map((row) => [String(row[KEYS[step]]), row]));
  const totals = new Map<string, number>();
  for (const row of rows) {
    for (const sums of row.breakdown ?? []) {
      const name = String(sums[part] ?? '');
      totals.set(name, (totals.get(name) ?? 0) + amount(sums, measure));
    }
  }
  const names = [...totals].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  const shown = names.length > MOST_SERIES + 1 ? names.slice(0, MOST_SERIES) : names;
  const rest = new Set(names.slice(shown.length));
  const value = (key: string, wanted: (name: string) => boolean) =>
    (byKey.get(key)?.breakdown ?? [])
      .filter((sums) => wanted(String(sums[part] ?? '')))
      .reduce((sum, sums) => sum + amount(sums, measure), 0);
  const series = shown.map((name) => ({
    name: name || none,
    values: keys.map((key) => value(key, (one) => one === name)),
  }));
  if (rest.size)
    series.push({
      name: t('{rest} others', { rest: rest.size }),
      values: keys.map((key) => value(key, (one) => rest.has(one))),
    });
  return series;
}
