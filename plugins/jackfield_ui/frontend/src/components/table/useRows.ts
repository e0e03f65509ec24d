import {
  type ColumnDef,
  columnFilteringFeature,
  createFilteredRowModel,
  createSortedRowModel,
  filterFn_includesString,
  globalFilteringFeature,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useMemo, useState } from 'react';
import { locale } from '../../language/messages';
import type { DataTableProps, Sorting, SortValue } from './types';

const features = tableFeatures({
  columnFilteringFeature,
  globalFilteringFeature,
  filteredRowModel: createFilteredRowModel(),
  filterFns: { includesString: filterFn_includesString },
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
});
type Features = typeof features;

/** The table wants objects. */
interface Held<Row> {
  row: Row;
}

/** The column that rows are found by. */
const TEXT = ' text';
const NONE: never[] = [];

const order = new Intl.Collator(locale(), { numeric: true, sensitivity: 'base' });

function compared(one: SortValue, other: SortValue): number {
  if (typeof one === 'string' && typeof other === 'string') return order.compare(one, other);
  return Number(one) - Number(other);
}

/** The rows that are shown: filtered by a text, sorted by a column. What has no value stands at the end either way. */
export function useRows<Row>({
  columns,
  rows,
  rowKey,
  textOf,
  initialSort,
}: Pick<DataTableProps<Row>, 'columns' | 'rows' | 'rowKey' | 'textOf' | 'initialSort'>) {
  const [wanted, setWanted] = useState('');
  const [sorting, setSorting] = useState<Sorting | undefined>(initialSort);
  const data = useMemo<Held<Row>[]>(() => (rows ?? NONE).map((row) => ({ row })), [rows]);
  const definitions = useMemo<ColumnDef<Features, Held<Row>>[]>(
    () => [
      { id: TEXT, accessorFn: ({ row }) => textOf?.(row) ?? '', enableSorting: false },
      ...columns.map(({ key, sort }) => ({
        id: key,
        accessorFn: ({ row }: Held<Row>) => sort?.(row) ?? undefined,
        enableSorting: sort !== undefined,
        sortUndefined: 'last' as const,
        sortFn: (
          one: { getValue: (id: string) => unknown },
          other: { getValue: (id: string) => unknown },
          id: string,
        ) => compared(one.getValue(id) as SortValue, other.getValue(id) as SortValue),
      })),
    ],
    [columns, textOf],
  );
  const known = sorting && columns.some(({ key, sort }) => key === sorting.key && sort);
  const state = useMemo(
    () => ({
      globalFilter: wanted.trim(),
      sorting: known ? [{ id: sorting.key, desc: sorting.descending }] : NONE,
      columnFilters: NONE,
    }),
    [wanted, known, sorting],
  );
  const table = useTable<Features, Held<Row>>({
    features,
    columns: definitions,
    data,
    state,
    getRowId: ({ row }) => rowKey(row),
    globalFilterFn: 'includesString',
    getColumnCanGlobalFilter: ({ id }) => id === TEXT,
  });
  const model = table.getRowModel();
  const shown = useMemo(() => model.rows.map(({ original }) => original.row), [model]);
  return { shown: rows && shown, sorting, setSorting, wanted, setWanted };
}
