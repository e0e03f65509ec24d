import { describe, expect, it } from 'vitest';
import type { DataRow } from '../queries';
import { around, PAGE, placeOf } from './useRows';

const rows = (count: number): DataRow[] =>
  Array.from({ length: count }, (_, place) => ({ id: place, createdAt: null, updatedAt: null }));

describe('pages of rows', () => {
  it('are read on both sides of those in sight, as far as there are some', () => {
    expect(around(3, 4, 10_000)).toEqual([5, 2]);
    expect(around(0, 0, undefined)).toEqual([]);
    expect(around(0, 0, PAGE)).toEqual([]);
    expect(around(0, 0, PAGE + 1)).toEqual([1]);
    expect(around(49, 49, 50 * PAGE)).toEqual([48]);
  });

  it('follow the page before, or are asked for by their place', () => {
    const before = { data: rows(PAGE), total: null, after: '[200,null]' };
    expect(placeOf(7, before)).toEqual({ after: '[200,null]' });
    expect(placeOf(7, undefined)).toEqual({ offset: 7 * PAGE });
    expect(placeOf(7, { ...before, after: null })).toEqual({ offset: 7 * PAGE });
    expect(placeOf(7, { ...before, data: rows(PAGE - 1) })).toEqual({ offset: 7 * PAGE });
  });
});
