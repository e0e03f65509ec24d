import { describe, expect, it } from 'vitest';
import type { ColumnType, DataColumn } from '../queries';
import { type Goal, goalsOf, problemAt, takenOf } from './mapping';
import type { CsvPreview } from './requests';

const column = (name: string, type: ColumnType = 'string'): DataColumn => ({
  id: name,
  dataTableId: 't',
  name,
  type,
  index: 0,
  createdAt: '',
  updatedAt: '',
});

const preview: CsvPreview = {
  encoding: 'utf-8',
  delimiter: 'comma',
  columns: [
    { name: 'id', suggestedName: 'id_2', type: 'number' },
    { name: 'Unit price', suggestedName: 'Unit_price', type: 'number' },
    { name: 'item', suggestedName: 'item', type: 'string' },
    { name: 'ITEM', suggestedName: 'ITEM', type: 'string' },
  ],
  rows: [],
};

describe('the columns of a file', () => {
  it('go to those of their names, each to another one', () => {
    expect(goalsOf(preview, [column('unit_price'), column('item')])).toEqual([
      { kind: 'out' },
      { kind: 'column', name: 'unit_price' },
      { kind: 'column', name: 'item' },
      { kind: 'out' },
    ]);
  });

  it('are new in a new table, but for those that every table has', () => {
    expect(goalsOf(preview, undefined).map((goal) => (goal.kind === 'new' ? goal.name : goal.kind))).toEqual([
      'out',
      'Unit_price',
      'item',
      'ITEM',
    ]);
  });

  it('are sent by their places', () => {
    const goals: Goal[] = [
      { kind: 'out' },
      { kind: 'column', name: 'item' },
      { kind: 'new', name: ' price ', type: 'number' },
    ];
    expect(takenOf(goals)).toEqual([
      { place: 1, name: 'item' },
      { place: 2, name: 'price', type: 'number' },
    ]);
  });

  it('tell why they cannot go somewhere', () => {
    const columns = [column('item')];
    const said = (goal: Goal, ...others: Goal[]) => problemAt([goal, ...others], 0, columns);
    expect(said({ kind: 'column', name: 'item' })).toBe('');
    expect(said({ kind: 'column', name: 'item' }, { kind: 'new', name: 'item', type: 'string' })).toContain('Two');
    expect(said({ kind: 'new', name: '2nd', type: 'string' })).toContain('letter');
    expect(said({ kind: 'new', name: 'id', type: 'string' })).toContain('itself');
    expect(said({ kind: 'new', name: 'item', type: 'string' })).toContain('Choose it');
    expect(said({ kind: 'new', name: 'price', type: 'number' }, { kind: 'out' })).toBe('');
  });
});
