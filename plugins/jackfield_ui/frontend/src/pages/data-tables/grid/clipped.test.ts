import { expect, test } from 'vitest';
import type { DataColumn, DataRow } from '../queries';
import { columnsOf } from './cells';
import { copied, emptied, pasted } from './clipped';

const TIMES = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' };
const column = (name: string, type: DataColumn['type'], index: number): DataColumn => ({
  id: name,
  dataTableId: 't',
  name,
  type,
  index,
  ...TIMES,
});
const ROWS: DataRow[] = [
  { id: 7, name: 'Ada', age: 36, ...TIMES },
  { id: 9, name: null, age: 4, ...TIMES },
];
const CELLS = {
  columns: columnsOf([column('name', 'string', 0), column('age', 'number', 1)]),
  total: 2,
  rowAt: (index: number) => ROWS[index],
};
const box = (top: number, left: number, bottom = top, right = left) => ({ top, left, bottom, right });

test('chosen cells are copied, unless they are not read', () => {
  expect(copied(CELLS, box(0, 0, 1, 2))).toEqual([
    [7, 'Ada', 36],
    [9, null, 4],
  ]);
  expect(copied({ ...CELLS, total: 3 }, box(1, 1, 2, 1))).toBeUndefined();
});

test('pasted lines change rows, add those below the last, and leave alone what nobody writes', () => {
  const texts = [
    ['1', 'Bob', '4'],
    ['2', 'Cy', '5'],
  ];
  expect(pasted(CELLS, box(1, 0), texts)).toEqual({
    edits: [{ row: 9, before: { name: null, age: 4 }, after: { name: 'Bob', age: 4 } }],
    added: [{ name: 'Cy', age: 5 }],
  });
});

test('one cell fills all that are chosen, and what is so already stays', () => {
  expect(pasted(CELLS, box(0, 2, 1, 2), [['4']]).edits).toEqual([{ row: 7, before: { age: 36 }, after: { age: 4 } }]);
});

test('what does not fit is named, and nothing is pasted', () => {
  expect(() => pasted(CELLS, box(0, 1), [['x', 'old']])).toThrow('age in line 1: Enter a number');
});

test('emptied cells have no value', () => {
  expect(emptied(CELLS, box(0, 0, 1, 1)).edits).toEqual([{ row: 7, before: { name: 'Ada' }, after: { name: null } }]);
});
