import { describe, expect, it } from 'vitest';
import type { DataRow } from '../queries';
import { AT_FIRST, around, PAGE, placeOf } from './useRows';

const rows = (count: number): DataRow[] =>
  Array.from({ length: count }, (_, place) => ({ id: place, createdAt: null, updatedAt: null }));

describe('pages of rows', () => {
  it('are read on both sides of those in sight, as far as there are some', () => {
    expect(around({ first: 3, last: 4, way: 1 }, 10_000)).toEqual([5, 6, 2]);
    expect(around({ first: 3, last: 4, way: -1 }, 10_000)).toEqual([2, 1, 5]);
    expect(around(AT_FIRST, undefined)).toEqual([]);
    expect(around(AT_FIRST, PAGE)).toEqual([]);
    expect(around(AT_FIRST, PAGE + 1)).toEqual([1]);
    expect(around({ first: 49, last: 49, way: 1 }, 50 * PAGE)).toEqual([48]);
  });

  it('follow the page before, or are asked for by their place', () => {
    const before = { data: rows(PAGE), total: null, after: '[200,null]' };
    expect(placeOf(7, before)).toEqual({ after: '[200,null]' });
    expect(placeOf(7, undefined)).toEqual({ offset: 7 * PAGE });
    expect(placeOf(7, { ...before, after: null })).toEqual({ offset: 7 * PAGE });
    expect(placeOf(7, { ...before, data: rows(PAGE - 1) })).toEqual({ offset: 7 * PAGE });
  });
});
