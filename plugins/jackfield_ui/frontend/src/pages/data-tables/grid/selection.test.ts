import { describe, expect, it } from 'vitest';
import { isSelected, NO_ROWS, selectedCount, toggled } from './selection';

describe('selected rows', () => {
  it('are those of a set, or all of the view', () => {
    const some = toggled(NO_ROWS, [1, 2]);
    expect([isSelected(some, 1), isSelected(some, 3), isSelected(some, undefined)]).toEqual([true, false, false]);
    expect([isSelected('all', 9), isSelected('all', undefined)]).toEqual([true, true]);
    expect([selectedCount(some, 50), selectedCount('all', 50), selectedCount('all', undefined)]).toEqual([2, 50, 0]);
  });

  it('come and go together', () => {
    const some = toggled(NO_ROWS, [1, 2]);
    expect([...(toggled(some, [2, 3]) as ReadonlySet<number>)]).toEqual([1, 2, 3]);
    expect(selectedCount(toggled(some, [1, 2]), 9)).toBe(0);
    expect(toggled('all', [1])).toBe('all');
  });
});
