import { expect, test } from 'vitest';
import { parseCast, sizeOf, upTo, withoutPauses } from './cast';

const TEXT = [
  '{"version": 2, "width": 100, "height": 30, "timestamp": 1700000000}',
  '[0.5, "o", "a"]',
  '[1.5, "r", "120x40"]',
  '[9.5, "o", "b"]',
  '[9.6, "i", "typed"]',
  '[10, "o", "tor',
].join('\n');

test('a recording is read up to where it is torn off', () => {
  const cast = parseCast(TEXT);
  expect([cast.cols, cast.rows, cast.length]).toEqual([100, 30, 9.6]);
  expect(cast.events.map(({ kind }) => kind)).toEqual(['o', 'r', 'o']);
  expect(() => parseCast('{"version": 1}')).toThrow();
  expect(() => parseCast('')).toThrow();
});

test('pauses are shortened, and places found', () => {
  const { events, length } = withoutPauses(parseCast(TEXT), 2);
  expect(events.map(({ time }) => time)).toEqual([0.5, 1.5, 3.5]);
  expect(length).toBe(3.5);
  expect([upTo(events, 0), upTo(events, 0.5), upTo(events, 99)]).toEqual([0, 1, 3]);
});

test('sizes are checked', () => {
  expect(sizeOf('120x40')).toEqual({ cols: 120, rows: 40 });
  expect(sizeOf('0x9999')).toEqual({ cols: 80, rows: 24 });
  expect(sizeOf('<b>')).toBeUndefined();
});
