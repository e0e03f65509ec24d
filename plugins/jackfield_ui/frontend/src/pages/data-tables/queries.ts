import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { address, api, body, segment, send } from '../../api/client';
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
export const addRows = (id: string, data: RowValues[]) =>
  body(api.POST('/api/v1/data-tables/{table_id}/rows', { ...ofTable(id), body: { data } }));

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

export const deleteRows = (id: string, rows: readonly number[]) =>
  body(
    api.DELETE('/api/v1/data-tables/{table_id}/rows/delete', {
      params: { path: { table_id: id }, query: { filter: JSON.stringify({ type: 'or', filters: rows.map(isRow) }) } },
    }),
  );

/** Where the browser saves the rows of a view from. */
export function csvAddress(id: string, view?: View): string {
  const query = view ? queryOf(view) : {};
  return address('/api/v1/data-tables/{table_id}/csv', query).replace('{table_id}', segment(id));
}

/** Adds the rows of a CSV file; how many there were. The file goes as it is, so that its size is no matter for the page. */
export async function importCsv(id: string, file: Blob): Promise<number> {
  const url = new URL(csvAddress(id), location.origin);
  const answer = await send(new Request(url, { method: 'POST', body: file, headers: { 'content-type': 'text/csv' } }));
  const said: unknown = await answer.json();
  return isRecord(said) ? Number(said.importedRowCount) : 0;
}

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
