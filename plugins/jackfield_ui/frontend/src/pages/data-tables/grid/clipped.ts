/** What is copied, pasted and emptied, as changes of rows. */
import { t } from '../../../language/messages';
import type { CellValue, DataRow, RowValues } from '../queries';
import { cellOf, type GridColumn, readCell } from './cells';
import type { Bounds } from './place';
import type { RowEdit } from './steps';

/** Rows that one action changes, each with a request of its own. More come in by a CSV file. */
export const MOST_ROWS = 1000;

export interface Cells {
  columns: readonly GridColumn[];
  total: number;
  rowAt: (index: number) => DataRow | undefined;
}

const indexes = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, place) => from + place);

/** The chosen cells; undefined: some of them are not read yet. */
export function copied({ columns, rowAt }: Cells, { top, bottom, left, right }: Bounds): CellValue[][] | undefined {
  const names = columns.slice(left, right + 1).map(({ name }) => name);
  const rows = indexes(top, bottom).map(rowAt);
  if (!rows.every((row) => row !== undefined)) return undefined;
  return rows.map((row) => names.map((name) => cellOf(row, name)));
}

export interface Pasted {
  edits: readonly RowEdit[];
  /** Rows below the last one. */
  added: readonly RowValues[];
}

/** What a pasted text does at the chosen cells: one cell fills all of them. Throws with the cell that does not fit. */
export function pasted(cells: Cells, bounds: Bounds, texts: readonly (readonly string[])[]): Pasted {
  const { top, left } = bounds;
  const only = texts.length === 1 && texts[0]?.length === 1 ? texts[0][0] : undefined;
  if (only !== undefined) return filled(cells, bounds, only);
  const edits: RowEdit[] = [];
  const added: RowValues[] = [];
  texts.forEach((line, down) => {
    const values = valuesOf(cells.columns.slice(left, left + line.length), line, top + down);
    if (top + down >= cells.total) added.push(values);
    else edits.push(...editOf(cells, top + down, values));
  });
  return bounded({ edits, added });
}

function filled(cells: Cells, { top, bottom, left, right }: Bounds, text: string): Pasted {
  const columns = cells.columns.slice(left, right + 1);
  const edits = indexes(top, bottom).flatMap((index) =>
    editOf(cells, index, valuesOf(columns, Array<string>(columns.length).fill(text), index)),
  );
  return bounded({ edits, added: [] });
}

/** All chosen cells without a value. */
export function emptied(cells: Cells, { top, bottom, left, right }: Bounds): Pasted {
  const names = cells.columns.slice(left, right + 1).flatMap(({ column }) => column?.name ?? []);
  const nothing = Object.fromEntries(names.map((name) => [name, null]));
  return bounded({ edits: indexes(top, bottom).flatMap((index) => editOf(cells, index, nothing)), added: [] });
}

function bounded(found: Pasted): Pasted {
  if (found.edits.length > MOST_ROWS) {
    throw new Error(
      t('At most {mostRows} rows are changed at once. Import more from a CSV file.', { mostRows: MOST_ROWS }),
    );
  }
  return found;
}

/** Cells that nobody writes are left out. */
function valuesOf(columns: readonly GridColumn[], texts: readonly string[], index: number): RowValues {
  return Object.fromEntries(
    columns.flatMap(({ name, type, column }, place) => {
      if (!column) return [];
      const read = readCell(texts[place] ?? '', type);
      if ('error' in read)
        throw new Error(t('{name} in line {index}: {error}.', { name, index: index + 1, error: read.error }));
      return [[name, read.value]];
    }),
  );
}

function editOf({ rowAt }: Cells, index: number, after: RowValues): RowEdit[] {
  const row = rowAt(index);
  if (!row || row.id === null) throw new Error(t('Not all of these rows are read yet. Try again in a moment.'));
  const before = Object.fromEntries(Object.keys(after).map((name) => [name, cellOf(row, name)]));
  const same = Object.entries(after).every(([name, value]) => before[name] === value);
  return same ? [] : [{ row: row.id, before, after }];
}
