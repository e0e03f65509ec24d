import { afterEach, describe, expect, it } from 'vitest';
import { speak } from '../../language/messages';
import { digitsOf, numberOf, signs, understood, written } from './typed';

afterEach(() => speak('en', 'en', {}));

const LOCALES = ['en', 'en-GB', 'de-DE', 'de-AT', 'de-CH', 'fr-FR', 'es-ES', 'pl-PL', 'hi-IN', 'ar-EG'];

function* numbers(): Generator<number> {
  // The same ones in each run: a generator of Lehmer's.
  let seed = 23;
  for (let at = 0; at < 300; at += 1) {
    seed = (seed * 48_271) % 2_147_483_647;
    const decimals = seed % 7;
    const whole = seed % 10 ** (1 + (seed % 9));
    yield Number(`${seed % 2 ? '' : '-'}${whole}.${String(seed).slice(0, decimals)}`);
  }
}

describe.each(LOCALES)('in %s', (locale) => {
  it.each([true, false])('each number is read as it is written, grouped: %s', (grouped) => {
    speak(locale.slice(0, 2), locale, {});
    for (const number of numbers()) expect(numberOf(understood(written(number, grouped)))).toBe(number || 0);
  });

  it('an amount with two decimals or fewer has either sign before them', () => {
    speak(locale.slice(0, 2), locale, {});
    for (const number of numbers()) {
      const [whole, decimals] = number.toFixed(2).split('.');
      for (const sign of ['.', ','])
        expect(Number(understood(`${whole}${sign}${decimals}`))).toBe(Number(number.toFixed(2)) || 0);
    }
  });

  it('the last of two kinds begins the decimals, several of one kind group', () => {
    speak(locale.slice(0, 2), locale, {});
    for (const number of numbers()) {
      const text = new Intl.NumberFormat('en', { maximumFractionDigits: 3 }).format(number);
      if (/,.*\./.test(text)) {
        expect(understood(text)).toBe(text.replaceAll(',', ''));
        expect(understood(text.replace(/[.,]/g, (sign) => (sign === '.' ? ',' : '.')))).toBe(text.replaceAll(',', ''));
      }
      const groups = new Intl.NumberFormat('en', { maximumFractionDigits: 0 }).format(1_000_000 + Math.abs(number));
      for (const sign of ['.', ',']) expect(understood(groups.replaceAll(',', sign))).toBe(groups.replaceAll(',', ''));
    }
  });

  it('a single sign before three digits follows the language', () => {
    speak(locale.slice(0, 2), locale, {});
    const { group } = signs();
    for (const sign of ['.', ',']) expect(understood(`1${sign}234`)).toBe(sign === group ? '1234' : '1.234');
    for (const text of ['0.500', '0,500', '.500', ',500']) expect(understood(text)).toBe('0.5');
    expect(understood('1234,567')).toBe('1234.567');
  });
});

it.each([
  ['de-DE', '0.50', '0.5'],
  ['de-DE', '0,50', '0.5'],
  ['de-DE', '1.234', '1234'],
  ['de-DE', '1.234,56', '1234.56'],
  ['de-DE', '1,234.56', '1234.56'],
  ['de-DE', '1.234.567', '1234567'],
  ['en', '0,50', '0.5'],
  ['en', '1.234', '1.234'],
  ['en', '1,234', '1234'],
  ['en', '1,234,567.89', '1234567.89'],
  ['de-CH', "1'234.5", '1234.5'],
  ['fr-FR', '1 234,5', '1234.5'],
  ['en', '-0', '0'],
  ['en', '−5', '-5'],
  ['en', '007', '7'],
  ['en', '5.', '5'],
  ['en', '-', ''],
  ['en', '.', ''],
  ['en', '', ''],
  ['en', '1e5', '100000'],
  ['de-DE', '-1.5E-3', '-0.0015'],
  ['de-DE', '1.234e0', '1.234'],
  ['de-CH', '1’234’567.5', '1234567.5'],
  ['hi-IN', '12,34,567.5', '1234567.5'],
  ['en', '1\u00A0234\u202F567', '1234567'],
  ['ar-EG', '١٢٣٤٫٥', '1234.5'],
  ['ar-EG', '1,234', '1234'],
  ['fa-IR', '۱۲۳', '123'],
  ['en', '４２', '42'],
])('in %s %s is %s', (locale, text, digits) => {
  speak(locale.slice(0, 2), locale, {});
  expect(understood(text)).toBe(digits);
});

it('in a whole number a single sign before three digits groups in each language', () => {
  for (const text of ['1.500', '1,500']) expect(understood(text, true)).toBe('1500');
  expect(understood('1.5', true)).toBe('1.5');
});

it('what is no part of a number is left out', () => {
  expect(digitsOf('US$ 1,200.50 a-b', true).trim()).toBe('1,200.50');
  expect(digitsOf('-5', false)).toBe('5');
});

it('digits beyond what a number keeps exactly stay as they are', () => {
  expect(numberOf('12345678901234567890')).toBe('12345678901234567890');
  expect(written('12345678901234567890', false)).toBe('12345678901234567890');
  expect(written('no number')).toBe('no number');
});
