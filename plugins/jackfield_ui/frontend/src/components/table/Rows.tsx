import { Checkbox, Skeleton } from '@mantine/core';
import { Fragment, type KeyboardEvent, type MouseEvent, useLayoutEffect, useRef, useState } from 'react';
import { t } from '../../language/messages';
import classes from './DataTable.module.css';
import { picked } from './range';
import type { DataTableProps } from './types';
import { useDrawnRows } from './useDrawnRows';

interface Props<Row> extends Omit<DataTableProps<Row>, 'rows'> {
  rows: readonly Row[];
  /** Columns, those of the checkbox and the actions too. */
  width: number;
}

export function Rows<Row>(props: Props<Row>) {
  const { rows, rowKey, onOpen, selection, width } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const [focused, setFocused] = useState<string>();
  /** The row that was selected last: with Shift, all from there to the next one are. */
  const pressed = useRef<string>(undefined);
  /** The row that a key asked for takes the focus once it is drawn. */
  const asked = useRef(false);
  const kept = rows.findIndex((row) => rowKey(row) === focused);
  const { drawn, after, measure } = useDrawnRows(body, rows.length, kept);
  const usesKeys = Boolean(onOpen || selection);
  const reachable = kept < 0 ? 0 : kept;
  useLayoutEffect(() => {
    if (!asked.current || kept < 0) return;
    asked.current = false;
    body.current?.querySelector<HTMLElement>(`tr[data-index="${kept}"]`)?.focus();
  }, [kept]);

  const toggle = (key: string, range: boolean) => {
    const anchor = range ? pressed.current : undefined;
    pressed.current = key;
    if (selection) selection.onChange(picked(rows.map(rowKey), selection.selected, key, anchor));
  };
  const press = (event: KeyboardEvent<HTMLTableRowElement>, row: Row, index: number) => {
    if (event.target !== event.currentTarget) return;
    const next = stepOf(event.key, index, rows.length - 1);
    if (event.key === 'Enter') onOpen?.(row);
    else if (event.key === ' ' && selection) toggle(rowKey(row), event.shiftKey);
    else if (next === undefined) return;
    event.preventDefault();
    const target = next === undefined ? undefined : rows[next];
    if (!target || next === index) return;
    asked.current = true;
    setFocused(rowKey(target));
  };

  return (
    <tbody ref={body} role="rowgroup">
      {drawn.map(({ index, gap }) => {
        const row = rows[index] as Row;
        const key = rowKey(row);
        return (
          <Fragment key={key}>
            <Gap height={gap} width={width} />
            <tr
              ref={measure}
              data-index={index}
              role="row"
              aria-rowindex={measure ? index + 2 : undefined}
              tabIndex={usesKeys ? (index === reachable ? 0 : -1) : undefined}
              data-opens={onOpen ? true : undefined}
              aria-selected={selection ? selection.selected.has(key) : undefined}
              onFocus={() => setFocused(key)}
              onKeyDown={(event) => press(event, row, index)}
              onClick={(event) => click(event, () => onOpen?.(row))}
            >
              <Cells {...props} row={row} onToggle={toggle} />
            </tr>
          </Fragment>
        );
      })}
      <Gap height={after} width={width} />
    </tbody>
  );
}

interface CellsProps<Row> extends Props<Row> {
  row: Row;
  /** `range`: with all rows from the one that was selected last. */
  onToggle: (key: string, range: boolean) => void;
}

function Cells<Row>({ columns, row, rowKey, rowName = rowKey, rowActions, selection, onToggle }: CellsProps<Row>) {
  const key = rowKey(row);
  return (
    <>
      {selection && (
        <td role="cell" className={classes.tick}>
          <Checkbox
            aria-label={t('Select {rowName}', { rowName: rowName(row) })}
            checked={selection.selected.has(key)}
            onChange={({ nativeEvent }) => onToggle(key, 'shiftKey' in nativeEvent && nativeEvent.shiftKey === true)}
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
    </>
  );
}

/** Stands for rows that are not drawn. */
function Gap({ height, width }: { height: number; width: number }) {
  if (height <= 0) return null;
  return (
    // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: it is room, and no row of the list
    <tr role="presentation" className={classes.gap}>
      <td role="presentation" colSpan={width} style={{ height }} />
    </tr>
  );
}

function click(event: MouseEvent<HTMLElement>, open: () => void): void {
  const control = (event.target as HTMLElement).closest('a, button, input, label, [role="menu"]');
  if (!control && event.currentTarget.contains(event.target as Node) && !getSelection()?.toString()) open();
}

/** The row that the focus goes to; undefined for any other key. */
function stepOf(key: string, index: number, last: number): number | undefined {
  switch (key) {
    case 'ArrowDown':
      return Math.min(index + 1, last);
    case 'ArrowUp':
      return Math.max(index - 1, 0);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}

export function Skeletons({ width }: { width: number }) {
  return (
    <tbody role="rowgroup">
      {[0, 1, 2, 3, 4].map((row) => (
        <tr key={row} role="row">
          {Array.from({ length: width }, (_, cell) => (
            <td key={cell} role="cell">
              <Skeleton height={12} my={4} width={cell ? '60%' : '80%'} />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}
