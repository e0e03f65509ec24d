import { expect, test } from 'vitest';
import { boundsOf, moved } from './place';

const SIZE = { rows: 100, columns: 5, page: 20 };
const press = (key: string, ctrlKey = false) => ({ key, ctrlKey, metaKey: false });

test.each([
  ['ArrowDown', false, { row: 11, column: 2 }],
  ['ArrowLeft', false, { row: 10, column: 1 }],
  ['ArrowUp', true, { row: 0, column: 2 }],
  ['ArrowRight', true, { row: 10, column: 4 }],
  ['Home', false, { row: 10, column: 0 }],
  ['End', true, { row: 99, column: 4 }],
  ['PageUp', false, { row: 0, column: 2 }],
  ['PageDown', false, { row: 30, column: 2 }],
])('%s (far: %s) leads to %j', (key, far, place) => {
  expect(moved(press(key, far), { row: 10, column: 2 }, SIZE)).toEqual(place);
});

test('nothing leads out of the grid, and other keys lead nowhere', () => {
  expect(moved(press('ArrowDown'), { row: 99, column: 0 }, SIZE)).toEqual({ row: 99, column: 0 });
  expect(moved(press('a'), { row: 0, column: 0 }, SIZE)).toBeUndefined();
});

test('a choice has the same bounds from either end', () => {
  const one = { row: 4, column: 1 };
  const other = { row: 2, column: 3 };
  expect(boundsOf({ from: one, to: other })).toEqual({ top: 2, bottom: 4, left: 1, right: 3 });
  expect(boundsOf({ from: other, to: one })).toEqual(boundsOf({ from: one, to: other }));
});
