/** Numbers as people type them, with a point or a comma, and as the language of the interface writes them. */
import { locale } from '../../language/messages';

export interface Signs {
  group: string;
  decimal: string;
}

const SIGNS = /[.,]/g;
const GROUPED = /^[1-9]\d{0,2}[.,]\d{3}$/;

/** How the language of the interface groups digits and separates decimals. */
export function signs(): Signs {
  const parts = new Intl.NumberFormat(locale()).formatToParts(1_234_567.8);
  const sign = (type: string, otherwise: string) => parts.find((part) => part.type === type)?.value ?? otherwise;
  return { group: sign('group', ''), decimal: sign('decimal', '.') };
}

/** The typed text without the characters that no number has. */
export const digitsOf = (text: string, negative: boolean): string => {
  const kept = text.replace(/[\u2212\u2013]/g, '-').replace(/[^\d.,'’\s-]/g, '');
  const unsigned = kept.replace(/-/g, '');
  return negative && kept.trimStart().startsWith('-') ? `-${unsigned}` : unsigned;
};

/**
 * The number that a text means, as plain digits such as -1234.5; '' for none. A point and a comma are understood in each
 * language: the last of two kinds begins the decimals, several of one kind group digits. A single one begins the decimals,
 * unless it groups digits in the language and stands where it would: 1.234 has a thousand in German, 0.500 and 0.50 a half.
 */
export function understood(text: string, { group } = signs()): string {
  const plain = digitsOf(text, true).replace(/['’\s]/g, '');
  const body = plain.replace('-', '');
  if (!/\d/.test(body)) return '';
  const at = decimalsAt(body, group);
  const whole =
    body
      .slice(0, at)
      .replace(SIGNS, '')
      .replace(/^0+(?=\d)/, '') || '0';
  const decimals = body.slice(at + 1).replace(/0+$/, '');
  const digits = decimals ? `${whole}.${decimals}` : whole;
  return plain.startsWith('-') && digits !== '0' ? `-${digits}` : digits;
}

/** The place of the sign that begins the decimals; the end where there are none. */
function decimalsAt(body: string, group: string): number {
  const found = body.match(SIGNS) ?? [];
  const last = found.at(-1);
  const several = found.filter((sign) => sign === last).length > 1;
  const groups = found.length === 1 && last === group && GROUPED.test(body);
  return last === undefined || several || groups ? body.length : body.lastIndexOf(last);
}

/** A number of plain digits; beyond what a number keeps exactly, the digits themselves. */
export function numberOf(digits: string): number | string {
  const value = Number(digits);
  return digits === '' || (!digits.includes('.') && !Number.isSafeInteger(value)) ? digits : value;
}

/** A value as the language writes it, with all its decimals. `understood` reads it as the same value. */
export function written(value: number | string | null | undefined, grouped = true): string {
  if (value === '' || value === null || value === undefined) return '';
  if (!Number.isFinite(Number(value))) return String(value);
  const format = new Intl.NumberFormat(locale(), {
    useGrouping: grouped,
    maximumFractionDigits: 20,
    numberingSystem: 'latn',
  });
  return format.format(value as number);
}
