/** Numbers as people type them, with a point or a comma, and as the language of the interface writes them. */
import { locale } from '../../language/messages';

export interface Signs {
  group: string;
  decimal: string;
}

const SIGNS = /[.,]/g;
const GROUPED = /^[1-9]\d{0,2}[.,]\d{3}$/;
/** As programs write numbers that are very large or very small. */
const EXPONENT = /^[-+]?\d+([.,]\d+)?e[-+]?\d{1,2}$/i;
/** Digits that keyboards other than Latin ones write: Arabic, Persian, Devanagari, and those of full width. */
const OTHER_DIGITS = /[\u0660-\u0669\u06F0-\u06F9\u0966-\u096F\uFF10-\uFF19]/g;
const ZEROS = [0x06_60, 0x06_f0, 0x09_66, 0xff_10];

/** How the language of the interface groups digits and separates decimals. */
export function signs(): Signs {
  const parts = new Intl.NumberFormat(locale(), { numberingSystem: 'latn' }).formatToParts(1_234_567.8);
  const sign = (type: string, otherwise: string) => parts.find((part) => part.type === type)?.value ?? otherwise;
  return { group: sign('group', ''), decimal: sign('decimal', '.') };
}

/** The typed text without the characters that no number has. */
export const digitsOf = (text: string, negative: boolean): string => {
  const latin = text.replace(/[\u2212\u2013]/g, '-').replace(OTHER_DIGITS, latinDigit);
  const plain = EXPONENT.test(latin.trim()) ? written(latin.trim().replace(',', '.'), false) : latin;
  const kept = plain.replace(/\u066B/g, ',').replace(/[^\d.,'’\s-]/g, '');
  const unsigned = kept.replace(/-/g, '');
  return negative && kept.trimStart().startsWith('-') ? `-${unsigned}` : unsigned;
};

function latinDigit(sign: string): string {
  const code = sign.charCodeAt(0);
  return String(code - (ZEROS.findLast((zero) => zero <= code) ?? code));
}

/**
 * The number that a text means, as plain digits such as -1234.5; '' for none. A point and a comma are understood in each
 * language: the last of two kinds begins the decimals, several of one kind group digits. A single one begins the decimals,
 * unless it groups digits in the language and stands where it would: 1.234 has a thousand in German, 0.500 and 0.50 a half.
 * In a `whole` number each sign that stands there groups.
 */
export function understood(text: string, whole = false): string {
  const plain = digitsOf(text, true).replace(/['’\s]/g, '');
  const body = plain.replace('-', '');
  if (!/\d/.test(body)) return '';
  const at = decimalsAt(body, whole);
  const units =
    body
      .slice(0, at)
      .replace(SIGNS, '')
      .replace(/^0+(?=\d)/, '') || '0';
  const decimals = body.slice(at + 1).replace(/0+$/, '');
  const digits = decimals ? `${units}.${decimals}` : units;
  return plain.startsWith('-') && digits !== '0' ? `-${digits}` : digits;
}

/** The place of the sign that begins the decimals; the end where there are none. */
function decimalsAt(body: string, whole: boolean): number {
  const found = body.match(SIGNS) ?? [];
  const last = found.at(-1);
  const several = found.filter((sign) => sign === last).length > 1;
  const groups = found.length === 1 && GROUPED.test(body) && (whole || last === signs().group);
  return last === undefined || several || groups ? body.length : body.lastIndexOf(last);
}

/** A number of plain digits, or the nearest bound. */
export function bounded(value: number | string, min: number, max: number): number | string {
  if (value === '') return value;
  if (Number(value) < min) return min;
  return Number(value) > max ? max : value;
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
