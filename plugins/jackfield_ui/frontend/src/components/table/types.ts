import type { ReactNode } from 'react';
import type { More, Paging } from '../../api/paging';

export interface Sorting {
  key: string;
  descending: boolean;
}

export type SortValue = string | number | boolean | null | undefined;

export interface Column<Row> {
  key: string;
  title: string;
  render: (row: Row) => ReactNode;
  /** Makes the column sortable: within the rows that are there, so only for lists that come whole. */
  sort?: (row: Row) => SortValue;
  align?: 'end';
  width?: number | string;
  /** The name of the row: the head of its card on a narrow screen. One column of each table. */
  primary?: boolean;
}

export interface Selection {
  selected: ReadonlySet<string>;
  onChange: (selected: Set<string>) => void;
}

export interface DataTableProps<Row> {
  /** What the rows are: 'Workflows'. */
  label: string;
  columns: readonly Column<Row>[];
  /** Undefined while nothing has been read yet. */
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string;
  /** The row's name, for the labels of its checkbox. */
  rowName?: (row: Row) => string;
  error?: unknown;
  onRetry?: () => void;
  /** What to say instead of an empty table. */
  empty?: ReactNode;
  onOpen?: (row: Row) => void;
  rowActions?: (row: Row) => ReactNode;
  selection?: Selection;
  initialSort?: Sorting;
  /** What a row is found by; only for lists that come whole. Long ones get a field for it. */
  textOf?: (row: Row) => string;
  paging?: Paging;
  more?: More;
}
