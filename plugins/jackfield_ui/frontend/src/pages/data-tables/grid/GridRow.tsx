import { memo, type ReactNode } from 'react';
import { t } from '../../../language/messages';
import type { DataRow } from '../queries';
import { cellOf, type GridColumn, textOf } from './cells';
import classes from './grid.module.css';

/** Width of the column with the boxes, in pixels. */
export const TICK = 44;
export const ROW_HEIGHT = 34;

export interface GridRowProps {
  index: number;
  /** Undefined until it is read. */
  row: DataRow | undefined;
  columns: readonly GridColumn[];
  top: number;
  width: number;
  /** The first and last of its cells that are chosen; -1: none. */
  left: number;
  right: number;
  /** The active cell; -1: another row has it. */
  active: number;
  ticked: boolean;
  /** Whether all rows are selected, so that no single one can be. */
  fixed: boolean;
  mayWrite: boolean;
  /** Stands in the active cell. */
  editor?: ReactNode;
}

export const cellId = (row: number, column: number) => `cell-${row}-${column}`;

/** Drawn anew only when something in it is another. */
export const GridRow = memo(function GridRow(props: GridRowProps) {
  const { index, row, columns, top, width, left, right, active, ticked, fixed, mayWrite, editor } = props;
  return (
    <div
      role="row"
      tabIndex={-1}
      className={classes.row}
      aria-rowindex={index + 2}
      aria-selected={ticked}
      data-ticked={ticked || undefined}
      data-writing={editor !== undefined || undefined}
      style={{ transform: `translateY(${top}px)`, width }}
    >
      {mayWrite && (
        <div role="gridcell" tabIndex={-1} aria-colindex={1} className={classes.tick} style={{ width: TICK }}>
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={row ? t('Select the row {id}', { id: row.id }) : t('Not read yet')}
            disabled={!row || fixed}
            checked={ticked}
            readOnly
            data-tick={index}
          />
        </div>
      )}
      {columns.map((column, place) => (
        <div
          key={column.name}
          id={cellId(index, place)}
          role="gridcell"
          tabIndex={-1}
          aria-colindex={place + (mayWrite ? 2 : 1)}
          aria-readonly={!column.column || undefined}
          className={classes.cell}
          style={{ width: column.width }}
          data-place={place}
          data-row={index}
          data-type={column.type}
          data-system={!column.column || undefined}
          data-chosen={(place >= left && place <= right) || undefined}
          data-active={place === active || undefined}
          data-writing={(place === active && editor !== undefined) || undefined}
        >
          {place === active && editor ? editor : <Shown row={row} column={column} />}
        </div>
      ))}
    </div>
  );
});

function Shown({ row, column }: { row: DataRow | undefined; column: GridColumn }) {
  if (!row) return <span className={classes.waiting} aria-hidden="true" />;
  const value = cellOf(row, column.name);
  if (value === null) return <span className={classes.none}>{t('null')}</span>;
  // A cell may have 128 KiB; a line of it is seen.
  return textOf(value).slice(0, 300);
}
