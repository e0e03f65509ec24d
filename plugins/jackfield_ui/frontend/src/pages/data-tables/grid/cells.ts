/** Cells as texts, and texts as cells: what is shown, typed, copied and pasted. */

import { isRecord } from '../../../api/errors';
import { understood } from '../../../components/numbers/typed';
import { t } from '../../../language/messages';
import type { CellValue, ColumnType, DataColumn, DataRow } from '../queries';

export interface GridColumn {
  name: string;
  type: ColumnType;
  width: number;
  /** Where the table keeps it; undefined: every row has it, and nobody writes it. */
  column?: DataColumn;
}

const WIDTHS: Record<ColumnType, number> = { string: 220, number: 140, boolean: 140, date: 220 };
const ID_WIDTH = 84;

export function columnsOf(columns: readonly DataColumn[]): readonly GridColumn[] {
  return [
    { name: 'id', type: 'number', width: ID_WIDTH },
    ...columns.map((column) => ({ name: column.name, type: column.type, width: WIDTHS[column.type], column })),
    { name: 'createdAt', type: 'date', width: WIDTHS.date },
    { name: 'updatedAt', type: 'date', width: WIDTHS.date },
  ];
}

export function cellOf(row: DataRow, name: string): CellValue {
  const value: unknown = isRecord(row) ? row[name] : undefined;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

export const textOf = (value: CellValue) => (value === null ? '' : String(value));

export type Reading = { value: CellValue } | { error: string };

const WITHOUT_ZONE = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?$/;
const MOMENT = /^\d{4}-\d\d-\d\d/;

/** A typed or pasted text as a cell of the type. Nothing typed is nothing, but in a column of texts an empty text. */
export function readCell(text: string, type: ColumnType): Reading {
  if (type === 'string') return { value: text };
  const plain = text.trim();
  if (plain === '') return { value: null };
  if (type === 'number') {
    const read = Number(plain);
    // What the grid shows and spreadsheets copy has a point. Otherwise a person may have typed it as the language writes it.
    const number = Number.isNaN(read) && /^[-\d.,\s]+$/.test(plain) ? Number(understood(plain) || Number.NaN) : read;
    return Number.isFinite(number) ? { value: number } : { error: t('Enter a number, such as 12.5') };
  }
  if (type === 'boolean') return readBoolean(plain.toLowerCase());
  return readDate(plain);
}

function readBoolean(text: string): Reading {
  if (text === 'true' || text === '1') return { value: true };
  return text === 'false' || text === '0' ? { value: false } : { error: t('Enter true or false') };
}

/** As the daemon reads it: a time without a zone is in UTC. Forms that are not ISO 8601 are left to the daemon. */
function readDate(text: string): Reading {
  if (!MOMENT.test(text)) return { value: text };
  const whole = WITHOUT_ZONE.test(text) && text.length > 10 ? `${text.replace(' ', 'T')}Z` : text;
  const time = Date.parse(whole);
  return Number.isNaN(time)
    ? { error: t('Enter a date, such as 2026-01-31 or 2026-01-31T12:00') }
    : { value: new Date(time).toISOString() };
}

const quoted = (text: string) => (/[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** As spreadsheets copy and take cells: tabs between cells, lines between rows. */
export function toTabs(rows: readonly (readonly CellValue[])[]): string {
  return rows.map((row) => row.map((value) => quoted(textOf(value))).join('\t')).join('\n');
}

const PIECE = /("(?:[^"]|"")*"|(?!")[^\t\r\n]*)(\t|\r\n|\n|\r|$)/y;

export function fromTabs(text: string): string[][] {
  const rows: string[][] = [[]];
  PIECE.lastIndex = 0;
  while (PIECE.lastIndex < text.length) {
    const found = PIECE.exec(text);
    if (!found) return text.split(/\r?\n/).map((line) => line.split('\t'));
    const [, piece = '', end] = found;
    rows.at(-1)?.push(piece.startsWith('"') ? piece.slice(1, -1).replaceAll('""', '"') : piece);
    if (end !== '\t' && PIECE.lastIndex < text.length) rows.push([]);
    // A last cell that is empty has no characters of its own.
    if (end === '\t' && PIECE.lastIndex === text.length) rows.at(-1)?.push('');
  }
  return rows;
}
