import { afterEach, describe, expect, it } from 'vitest';
import { speak } from '../language/messages';
import { bytes, count, date, decimal, duration, money, relative } from './format';

describe('values as text', () => {
  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [59_990, '59.9 s'],
    [200_000, '3 min 20 s'],
    [7_200_000, '2 h'],
    [90_000_000, '1 d 1 h'],
  ])('%d ms is %s', (ms, text) => expect(duration(ms)).toBe(text));

  it('keeps small costs apart', () => {
    expect(money(0.0012)).not.toBe(money(0.0013));
    expect(money(1234.5)).toContain('1,234.50');
  });

  it('scales bytes', () => {
    expect(bytes(999)).toMatch(/^999/);
    expect(bytes(1_500_000)).toMatch(/^1\.5\s?MB$/);
  });

  it('says how long ago', () => {
    const now = Date.parse('2026-01-31T12:00:00Z');
    expect(relative(new Date(now - 3_000), now)).toBe('just now');
    expect(relative(new Date(now - 7_200_000), now)).toMatch(/2 h/);
    expect(relative(new Date(now - 90 * 86_400_000), now)).toMatch(/2025/);
  });
});

describe('values in another language', () => {
  afterEach(() => speak('en', 'en', {}));
  const plain = (text: string) => text.replace(/\s/g, ' ');

  it('follows one that is chosen later', () => {
    expect(count(1_234_567)).toBe('1,234,567');
    speak('de', 'de-DE', {});
    expect(count(1_234_567)).toBe('1.234.567');
    expect(decimal(0.5, 3)).toBe('0,500');
    expect(plain(money(1234.5))).toBe('1.234,50 $');
    expect(plain(bytes(1_500_000))).toBe('1,5 MB');
    expect(duration(2_400)).toBe('2,4 s');
    expect(date(new Date(2026, 0, 31))).toBe('31.01.2026');
    const now = Date.parse('2026-01-31T12:00:00Z');
    expect(plain(relative(new Date(now - 7_200_000), now))).toBe('vor 2 Std.');
  });
});
