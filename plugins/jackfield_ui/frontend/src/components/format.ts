/** Values as text, in the language of the interface. The components in values.tsx show them. */

import { locale, t } from '../language/messages';

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

export function bytes(value: number): string {
  const step = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, Math.abs(value))) / 3)));
  const unit = UNITS[step] ?? 'byte';
  return number(
    { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: step ? 1 : 0 },
    value / 1000 ** step,
  );
}

export function count(value: number): string {
  return number({ maximumFractionDigits: 0 }, value);
}

/** With so many digits behind the separator. */
export function decimal(value: number, digits: number): string {
  return number({ minimumFractionDigits: digits, maximumFractionDigits: digits }, value);
}

/** 12,345,678 as 12.3M, for narrow places. */
export function compact(value: number): string {
  return number({ notation: 'compact', maximumFractionDigits: 1 }, value);
}

/** US dollars; below one dollar with enough digits to tell two small costs apart. */
export function money(value: number): string {
  const small = Math.abs(value) < 1 && value !== 0;
  return number({ style: 'currency', currency: 'USD', maximumFractionDigits: small ? 4 : 2 }, value);
}

export function percent(value: number): string {
  return number({ style: 'percent', maximumFractionDigits: 1 }, value);
}

/** Milliseconds as a time span: 340 ms, 2.4 s, 3 min 20 s, 5 h 2 min, 3 d 4 h. */
export function duration(ms: number): string {
  if (ms < 1_000) return SPANS.ms(count(ms));
  if (ms < 60_000) return SPANS.s(number({ maximumFractionDigits: 1 }, Math.floor(ms / 100) / 10));
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 3_600) return pair('min', seconds / 60, 's', seconds % 60);
  if (seconds < 86_400) return pair('h', seconds / 3_600, 'min', (seconds % 3_600) / 60);
  return pair('d', seconds / 86_400, 'h', (seconds % 86_400) / 3_600);
}

/** The catalogue's, not Intl's: those of its English are `m` for minutes, or words that make a column wide. */
const SPANS = {
  ms: (value: string) => t('{value} ms', { value }),
  s: (value: string) => t('{value} s', { value }),
  min: (value: string) => t('{value} min', { value }),
  h: (value: string) => t('{value} h', { value }),
  d: (value: string) => t('{value} d', { value }),
};

function pair(large: keyof typeof SPANS, much: number, small: keyof typeof SPANS, little: number): string {
  const parts = [SPANS[large](count(Math.floor(much)))];
  if (Math.floor(little)) parts.push(SPANS[small](count(Math.floor(little))));
  return parts.join(' ');
}

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** How long ago, or in how long; beyond a month the date. */
export function relative(time: Date, now: number): string {
  const distance = time.getTime() - now;
  if (Math.abs(distance) > 30 * 86_400_000) return date(time);
  const words = new Intl.RelativeTimeFormat(locale(), { numeric: 'auto', style: 'short' });
  for (const [unit, size] of STEPS) {
    if (Math.abs(distance) >= size) return words.format(Math.trunc(distance / size), unit);
  }
  return Math.abs(distance) < 10_000 ? t('just now') : words.format(Math.trunc(distance / 1_000), 'second');
}

export function date(time: Date): string {
  return new Intl.DateTimeFormat(locale(), { dateStyle: 'medium' }).format(time);
}

export function moment(time: Date): string {
  return new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'medium' }).format(time);
}

const formats = new Map<string, Intl.NumberFormat>();

function number(options: Intl.NumberFormatOptions, value: number): string {
  const key = `${locale()} ${JSON.stringify(options)}`;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.NumberFormat(locale(), options);
    formats.set(key, format);
  }
  return format.format(value);
}
