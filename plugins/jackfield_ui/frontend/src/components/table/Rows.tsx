import { Checkbox, Skeleton } from '@mantine/core';
import { type KeyboardEvent, type MouseEvent, useState } from 'react';
import classes from './DataTable.module.css';
import type { DataTableProps } from './types';

export function Rows<Row>({
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

export function Skeletons({ width }: { width: number }) {
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
