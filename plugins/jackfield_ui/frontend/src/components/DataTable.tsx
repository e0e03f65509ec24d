import { Button, Checkbox, Group, Skeleton, Text, UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react';
import { type KeyboardEvent, type MouseEvent, type ReactNode, useMemo, useState } from 'react';
import type { More, Paging } from '../api/paging';
import classes from './DataTable.module.css';
import { EmptyState } from './EmptyState';
import { Failure } from './Failure';
import { count } from './format';
import { type Sorting, type SortValue, sorted } from './sorting';

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
  paging?: Paging;
  more?: More;
}

/**
 * A list. Arrow keys go from row to row, Enter opens, Space selects. At less than 48 em each row becomes a card.
 * Give `primary` to the column with the name and put a link into it, so that a row also opens in a new tab.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, error, onRetry, empty, selection, rowActions, initialSort, paging, more } = props;
  const [sorting, setSorting] = useState<Sorting | undefined>(initialSort);
  const shown = useMemo(() => {
    const by = columns.find(({ key }) => key === sorting?.key)?.sort;
    return rows && by && sorting ? sorted(rows, by, sorting.descending) : rows;
  }, [rows, columns, sorting]);

  if (error && !rows) return <Failure error={error} {...(onRetry ? { onRetry } : {})} />;
  if (rows?.length === 0 && (paging?.offset ?? 0) === 0) {
    return <div className={classes.box}>{empty ?? <EmptyState title={`No ${label.toLowerCase()}`} />}</div>;
  }
  const width = columns.length + (selection ? 1 : 0) + (rowActions ? 1 : 0);
  return (
    <>
      <div className={classes.box}>
        <table className={classes.table} role="table" aria-label={label} aria-busy={!rows}>
          <thead role="rowgroup">
            <tr role="row">
              {selection && (
                <th role="columnheader" className={classes.tick}>
                  <SelectAll rows={shown ?? []} rowKey={props.rowKey} selection={selection} />
                </th>
              )}
              {columns.map((column) => (
                <Head key={column.key} column={column} sorting={sorting} onSort={setSorting} />
              ))}
              {rowActions && (
                <th role="columnheader">
                  <span className="jf-hidden">Actions</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody role="rowgroup">{shown ? <Rows {...props} rows={shown} /> : <Skeletons width={width} />}</tbody>
        </table>
      </div>
      {paging && rows && <Pages {...paging} shown={rows.length} />}
      {more?.has && (
        <Group justify="center" mt="md">
          <Button variant="default" loading={more.loading} onClick={more.onMore}>
            Show more
          </Button>
        </Group>
      )}
    </>
  );
}

function Head<Row>({
  column: { key, title, sort, align, width },
  sorting,
  onSort,
}: {
  column: Column<Row>;
  sorting: Sorting | undefined;
  onSort: (sorting: Sorting) => void;
}) {
  const active = sorting?.key === key;
  const Sign = active ? (sorting.descending ? IconArrowDown : IconArrowUp) : IconArrowsSort;
  const order = active ? (sorting.descending ? 'descending' : 'ascending') : undefined;
  return (
    <th role="columnheader" aria-sort={sort ? (order ?? 'none') : undefined} data-align={align} style={{ width }}>
      {sort ? (
        <UnstyledButton
          className={classes.sort}
          onClick={() => onSort({ key, descending: active && !sorting.descending })}
        >
          {title}
          <Sign size={13} aria-hidden="true" data-active={active || undefined} />
        </UnstyledButton>
      ) : (
        title
      )}
    </th>
  );
}

function SelectAll<Row>({
  rows,
  rowKey,
  selection: { selected, onChange },
}: {
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  selection: Selection;
}) {
  const all = rows.length > 0 && rows.every((row) => selected.has(rowKey(row)));
  return (
    <Checkbox
      aria-label="Select all rows of this page"
      checked={all}
      indeterminate={!all && selected.size > 0}
      onChange={() => onChange(new Set(all ? [] : rows.map(rowKey)))}
    />
  );
}

function Rows<Row>({
  columns,
  rows = [],
  rowKey,
  rowName = rowKey,
  onOpen,
  rowActions,
  selection,
}: DataTableProps<Row>) {
  const [focused, setFocused] = useState<string>();
  const reachable = rows.some((row) => rowKey(row) === focused) ? focused : rows[0] && rowKey(rows[0]);
  const usesKeys = Boolean(onOpen || selection);

  const toggle = (key: string) => {
    const next = new Set(selection?.selected);
    if (!next.delete(key)) next.add(key);
    selection?.onChange(next);
  };
  const press = (event: KeyboardEvent<HTMLTableRowElement>, row: Row) => {
    if (event.target !== event.currentTarget) return;
    if (event.key === 'Enter') onOpen?.(row);
    else if (event.key === ' ' && selection) toggle(rowKey(row));
    else if (!step(event)) return;
    event.preventDefault();
  };
  const click = (event: MouseEvent<HTMLElement>, row: Row) => {
    const control = (event.target as HTMLElement).closest('a, button, input, label, [role="menu"]');
    if (!control && event.currentTarget.contains(event.target as Node) && !getSelection()?.toString()) onOpen?.(row);
  };

  return rows.map((row) => {
    const key = rowKey(row);
    return (
      <tr
        key={key}
        role="row"
        tabIndex={usesKeys ? (key === reachable ? 0 : -1) : undefined}
        data-opens={onOpen ? true : undefined}
        aria-selected={selection ? selection.selected.has(key) : undefined}
        onFocus={() => setFocused(key)}
        onKeyDown={(event) => press(event, row)}
        onClick={(event) => click(event, row)}
      >
        {selection && (
          <td role="cell" className={classes.tick}>
            <Checkbox
              aria-label={`Select ${rowName(row)}`}
              checked={selection.selected.has(key)}
              onChange={() => toggle(key)}
            />
          </td>
        )}
        {columns.map((column) => (
          <td
            key={column.key}
            role="cell"
            data-label={column.title}
            data-align={column.align}
            data-primary={column.primary || undefined}
          >
            <div className={classes.value}>{column.render(row)}</div>
          </td>
        ))}
        {rowActions && (
          <td role="cell" className={classes.actions}>
            {rowActions(row)}
          </td>
        )}
      </tr>
    );
  });
}

/** The focus goes to a neighbour; false for any other key. */
function step(event: KeyboardEvent<HTMLTableRowElement>): boolean {
  const row = event.currentTarget;
  const targets: Record<string, Element | null | undefined> = {
    ArrowDown: row.nextElementSibling,
    ArrowUp: row.previousElementSibling,
    Home: row.parentElement?.firstElementChild,
    End: row.parentElement?.lastElementChild,
  };
  if (!(event.key in targets)) return false;
  const target = targets[event.key];
  if (target instanceof HTMLElement) target.focus();
  return true;
}

function Skeletons({ width }: { width: number }) {
  return [0, 1, 2, 3, 4].map((row) => (
    <tr key={row} role="row">
      {Array.from({ length: width }, (_, cell) => (
        <td key={cell} role="cell">
          <Skeleton height={12} my={4} width={cell ? '60%' : '80%'} />
        </td>
      ))}
    </tr>
  ));
}

function Pages({ offset, limit, total, onOffset, shown }: Paging & { shown: number }) {
  if (total <= limit && offset === 0) return null;
  return (
    <Group justify="space-between" mt="sm">
      <Text size="sm" c="dimmed" role="status">
        {shown ? `${count(offset + 1)}–${count(offset + shown)} of ${count(total)}` : `None of ${count(total)}`}
      </Text>
      <Group gap="sm">
        <Button variant="default" disabled={offset === 0} onClick={() => onOffset(Math.max(0, offset - limit))}>
          Previous
        </Button>
        <Button variant="default" disabled={offset + shown >= total} onClick={() => onOffset(offset + limit)}>
          Next
        </Button>
      </Group>
    </Group>
  );
}
