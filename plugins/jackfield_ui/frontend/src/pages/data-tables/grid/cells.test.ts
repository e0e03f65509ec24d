import { describe, expect, test } from 'vitest';
import { filterText } from '../filters';
import { fromTabs, readCell, toTabs } from './cells';

describe('readCell', () => {
  test.each([
    ['12.5', 'number', 12.5],
    [' ', 'number', null],
    ['1e3', 'number', 1000],
    ['TRUE', 'boolean', true],
    ['0', 'boolean', false],
    ['', 'boolean', null],
    ['2026-01-31', 'date', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31 12:30', 'date', '2026-01-31T12:30:00.000Z'],
    ['2026-01-31T12:00:00+02:00', 'date', '2026-01-31T10:00:00.000Z'],
    ['1/31/2026 3:00 PM', 'date', '1/31/2026 3:00 PM'],
    ['', 'string', ''],
    [' a ', 'string', ' a '],
  ] as const)('%j in a column of the type %s', (text, type, value) => {
    expect(readCell(text, type)).toEqual({ value });
  });
  test.each([
    ['twelve', 'number'],
    ['Infinity', 'number'],
    ['yes', 'boolean'],
    ['2026-13-31', 'date'],
  ] as const)('%j is no %s', (text, type) => {
    expect(readCell(text, type)).toHaveProperty('error');
  });
});

describe('copied cells', () => {
  test('come back as they were', () => {
    const cells = [
      ['a', 'b "c"', ''],
      ['two\nlines', 'a\ttab', '"'],
    ];
    expect(fromTabs(toTabs(cells))).toEqual(cells);
  });
  test('of a spreadsheet end with a line', () => {
    expect(fromTabs('a\tb\r\nc\t\r\n')).toEqual([
      ['a', 'b'],
      ['c', ''],
    ]);
  });
  test('with an open quote are taken as they are', () => {
    expect(fromTabs('"a\tb')).toEqual([['"a', 'b']]);
  });
});

test('conditions without a value are not complete yet', () => {
  const conditions = [
    { column: 'age', operator: 'gte', value: '18' },
    { column: 'name', operator: 'eq', value: '' },
    { column: 'note', operator: 'isEmpty', value: '' },
  ] as const;
  expect(JSON.parse(filterText(conditions, 'or') ?? '')).toEqual({
    type: 'or',
    filters: [
      { columnName: 'age', condition: 'gte', value: '18' },
      { columnName: 'note', condition: 'isEmpty' },
    ],
  });
  expect(filterText([], 'and')).toBeUndefined();
});
