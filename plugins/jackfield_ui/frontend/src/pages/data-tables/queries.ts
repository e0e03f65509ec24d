import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { address, api, body, segment } from '../../api/client';
import { isRecord } from '../../api/errors';
import type { Schemas } from '../../api/types';
import { useEvents } from '../../api/useEvents';
import { areaPath } from '../../app/areas';
import type { View } from './filters';
import { filterText } from './filters';

export type DataTableShown = Schemas['DataTableShown'];
export type DataColumn = Schemas['DataTableColumnShown'];
export type ColumnType = DataColumn['type'];
export type DataRow = Schemas['DataTableRowShown'];
export type CellValue = string | number | boolean | null;
export type RowValues = Record<string, CellValue>;

export const KEY = ['data-tables'] as const;
export const rowsKey = (id: string) => [...KEY, 'rows', id] as const;
export const tablePath = (id: string) => `${areaPath('data-tables')}/${segment(id)}`;
export const ofTable = (id: string) => ({ params: { path: { table_id: id } } });
export const ofColumn = ({ id, dataTableId }: DataColumn) => ({
  params: { path: { table_id: dataTableId, column_id: id } },
});

export function useTable(id: string) {
  return useQuery({
    queryKey: [...KEY, 'one', id],
    queryFn: ({ signal }) => body(api.GET('/api/v1/data-tables/{table_id}', { ...ofTable(id), signal })),
    placeholderData: undefined,
  });
}

/** What a view asks for. */
export function queryOf({ sorting, search, conditions, join }: View) {
  return {
    search,
    filter: filterText(conditions, join),
    ...(sorting && { sortBy: sorting.column, order: sorting.descending ? ('desc' as const) : ('asc' as const) }),
  };
}

export const createTable = (name: string) => body(api.POST('/api/v1/data-tables', { body: { name } }));
export const renameTable = (id: string, name: string) =>
  body(api.PATCH('/api/v1/data-tables/{table_id}', { ...ofTable(id), body: { name } }));
export const deleteTable = (id: string) => api.DELETE('/api/v1/data-tables/{table_id}', ofTable(id));
export const clearTable = (id: string) => api.DELETE('/api/v1/data-tables/{table_id}/rows/clear', ofTable(id));

/** Rows of an answer that may be something else, by what was asked for. */
function rowsIn(answer: unknown): DataRow[] {
  const isRow = (each: unknown): each is DataRow => isRecord(each) && typeof each.id === 'number';
  return Array.isArray(answer) ? answer.filter(isRow) : [];
}

/** The added rows. */
export async function addRows(id: string, data: RowValues[]): Promise<DataRow[]> {
  const call = api.POST('/api/v1/data-tables/{table_id}/rows', { ...ofTable(id), body: { data, returnType: 'all' } });
  return rowsIn(await body(call));
}

/** Puts deleted rows back as they were, with their ids. */
export const restoreRows = (id: string, rows: readonly DataRow[]) =>
  body(
    api.POST('/api/v1/data-tables/{table_id}/rows/restore', {
      ...ofTable(id),
      body: { data: rows.map((row) => ({ ...row }) as RowValues) },
    }),
  );

/** The conditions of one filter that the daemon takes, if nobody has set `data_tables.max_conditions` lower. */
export const MOST_CONDITIONS = 100;

const isRow = (id: number) => ({ columnName: 'id', condition: 'eq' as const, value: id });

export const changeRow = (id: string, row: number, data: RowValues) =>
  body(
    api.PATCH('/api/v1/data-tables/{table_id}/rows/update', {
      ...ofTable(id),
      body: { filter: { type: 'and', filters: [isRow(row)] }, data },
    }),
  );

const REMOVE = '/api/v1/data-tables/{table_id}/rows/delete';

/** The deleted rows as they were. */
export async function deleteRows(id: string, rows: readonly number[]): Promise<DataRow[]> {
  const gone: DataRow[] = [];
  for (let from = 0; from < rows.length; from += MOST_CONDITIONS) {
    const filters = rows.slice(from, from + MOST_CONDITIONS).map(isRow);
    const query = { filter: JSON.stringify({ type: 'or', filters }), returnData: true };
    gone.push(...rowsIn(await body(api.DELETE(REMOVE, { params: { path: { table_id: id }, query } }))));
  }
  return gone;
}

const EVERY_ROW = JSON.stringify({ type: 'and', filters: [{ columnName: 'id', condition: 'isNotEmpty' }] });

/** Deletes all rows of a view, whatever order they are in; as they were, where they are asked for. */
export async function deleteView(id: string, view: View, returnData: boolean): Promise<DataRow[]> {
  const { search, filter = EVERY_ROW } = queryOf(view);
  const query = { filter, search, returnData };
  const gone = await body(api.DELETE(REMOVE, { params: { path: { table_id: id }, query } }));
  return rowsIn(gone);
}

const CSV = '/api/v1/data-tables/{table_id}/csv';
export const csvPath = (id: string) => CSV.replace('{table_id}', segment(id));

/** Where the browser saves the rows of a view from. */
export const csvAddress = (id: string, view?: View) =>
  address(CSV, view ? queryOf(view) : {}).replace(CSV, csvPath(id));

/** A table that is written a thousand times a second is read again once. */
const READ_WITHIN = 700;

/** What others write shows as it happens. id: only of this table. */
export function useTableEvents(id?: string): void {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const read = () => {
    timer.current = undefined;
    void client.invalidateQueries({ queryKey: KEY });
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  useEvents('workflows', ({ type, data }) => {
    if (type !== 'data_table.changed' || (id !== undefined && data.dataTableId !== id)) return;
    timer.current ??= setTimeout(read, READ_WITHIN);
  });
}
