import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { type MouseEvent, type Ref, useEffect, useImperativeHandle, useMemo, useRef, useState } from 'react';
import { Failure } from '../../../components/Failure';
import { t } from '../../../language/messages';
import type { View } from '../filters';
import type { CellValue, DataTableShown } from '../queries';
import { CellEditor } from './CellEditor';
import { cellOf, columnsOf } from './cells';
import type { Pasted } from './clipped';
import { GridHead } from './GridHead';
import { cellId, GridRow, ROW_HEIGHT, TICK } from './GridRow';
import classes from './grid.module.css';
import { boundsOf, type Place, type Range } from './place';
import { isSelected, NO_ROWS, type Selection, toggled } from './selection';
import type { RowEdit } from './steps';
import { useGridKeys } from './useGridKeys';
import { AT_FIRST, PAGE, useRows } from './useRows';

const HEAD_HEIGHT = 36;
const AROUND = 4;
/** Browsers draw boxes of at most some 17 million pixels. */
export const MOST_SHOWN = 400_000;
const START: Range = { from: { row: 0, column: 0 }, to: { row: 0, column: 0 } };

export interface GridHandle {
  /** Goes to a cell as soon as its row is there. */
  goTo: (place: Place) => void;
}

interface Props {
  table: DataTableShown;
  view: View;
  onSort: (sorting: View['sorting']) => void;
  mayWrite: boolean;
  ticked: Selection;
  onTicked: (ticked: Selection) => void;
  onEdits: (edits: readonly RowEdit[]) => void;
  onPasted: (pasted: Pasted) => void;
  /** Deletes the selected rows. */
  onDelete: () => void;
  onUndo: () => void;
  onRedo: () => void;
  onTotal: (total: number | undefined) => void;
  ref: Ref<GridHandle>;
}

interface Editing {
  row: number;
  value: CellValue;
  typed: string | undefined;
}

/**
 * The rows of a table as a sheet. The grid itself has the focus and names its active cell, as rows out of sight are not
 * drawn. Tab leaves it; while a cell is written, Tab goes on to the next one.
 */
export function Grid(props: Props) {
  const { table, view, mayWrite, ticked, onTicked, onEdits, onTotal, ref } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const columns = useMemo(() => columnsOf(table.columns), [table.columns]);
  const [range, setRange] = useState(START);
  const [editing, setEditing] = useState<Editing>();
  const [wanted, setWanted] = useState<Place>();
  const [sight, setSight] = useState(AT_FIRST);
  const rows = useRows(table.id, view, sight);
  const total = Math.min(rows.total ?? 0, MOST_SHOWN);
  const active: Place = {
    row: Math.max(0, Math.min(range.to.row, total - 1)),
    column: Math.min(range.to.column, columns.length - 1),
  };
  const virtual = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: AROUND,
    scrollMargin: HEAD_HEIGHT,
    scrollPaddingStart: HEAD_HEIGHT,
    rangeExtractor: (found) => {
      const drawn = defaultRangeExtractor(found);
      return active.row < total && !drawn.includes(active.row) ? [...drawn, active.row] : drawn;
    },
    onChange: ({ range: found }) => {
      if (!found) return;
      const [first, last] = [Math.floor(found.startIndex / PAGE), Math.floor(found.endIndex / PAGE)];
      if (first !== sight.first || last !== sight.last) {
        setSight({ first, last, way: Math.sign(first + last - sight.first - sight.last) });
      }
    },
  });
  // Rows that come into sight take the elements of those that leave it. The active one keeps its own, with its editor.
  const slots = Math.ceil((virtual.scrollRect?.height ?? 0) / ROW_HEIGHT) + 2 * AROUND + 2;
  const left = mayWrite ? TICK : 0;
  const width = left + columns.reduce((sum, column) => sum + column.width, 0);

  const reveal = ({ row, column }: Place) => {
    virtual.scrollToIndex(row);
    const box = scroller.current;
    if (!box) return;
    const start = left + columns.slice(0, column).reduce((sum, each) => sum + each.width, 0);
    const end = start + (columns[column]?.width ?? 0);
    if (start - left < box.scrollLeft) box.scrollLeft = start - left;
    else if (end > box.scrollLeft + box.clientWidth) box.scrollLeft = end - box.clientWidth;
  };
  const go = (next: Range) => {
    setRange(next);
    reveal(next.to);
  };
  useImperativeHandle(ref, () => ({ goTo: setWanted }), []);
  useEffect(() => onTotal(rows.total), [rows.total, onTotal]);
  if (wanted && wanted.row < total) {
    setWanted(undefined);
    setRange({ from: wanted, to: wanted });
    queueMicrotask(() => {
      reveal(wanted);
      scroller.current?.focus({ preventScroll: true });
    });
  }

  const begin = (typed?: string) => {
    const column = columns[active.column];
    const row = rows.rowAt(active.row);
    if (!mayWrite || !column?.column || !row || row.id === null) return;
    const takes = column.type === 'string' || column.type === 'number';
    setRange({ from: active, to: active });
    setEditing({ row: row.id, value: cellOf(row, column.name), typed: takes ? typed : undefined });
  };
  const end = (row: number, name: string, before: CellValue, after: CellValue, down: number, right: number) => {
    setEditing(undefined);
    scroller.current?.focus({ preventScroll: true });
    if (after !== before) onEdits([{ row, before: { [name]: before }, after: { [name]: after } }]);
    const to = {
      row: Math.max(0, Math.min(active.row + down, total - 1)),
      column: Math.max(0, Math.min(active.column + right, columns.length - 1)),
    };
    if (down || right) go({ from: to, to });
  };
  const tick = (top: number, bottom: number) => {
    const ids = Array.from({ length: bottom - top + 1 }, (_, place) => rows.rowAt(top + place)?.id ?? []).flat();
    onTicked(toggled(ticked, ids));
  };
  const onKeyDown = useGridKeys({
    grid: scroller,
    cells: { columns, total, rowAt: rows.rowAt },
    range: { from: range.from, to: active },
    page: Math.max(1, Math.floor(((scroller.current?.clientHeight ?? 0) - HEAD_HEIGHT) / ROW_HEIGHT) - 1),
    mayWrite,
    onRange: go,
    onEdit: begin,
    onPasted: props.onPasted,
    onTick: tick,
    onTickAll: () => onTicked(ticked === 'all' ? NO_ROWS : 'all'),
    onDelete: props.onDelete,
    onUndo: props.onUndo,
    onRedo: props.onRedo,
  });
  const pressed = useRef<Place>(undefined);
  const onMouseDown = (event: MouseEvent) => {
    const place = placeOf(event.target);
    if (!place || event.button !== 0) return;
    event.preventDefault();
    pressed.current = scroller.current === document.activeElement ? active : undefined;
    scroller.current?.focus({ preventScroll: true });
    setRange({ from: event.shiftKey ? range.from : place, to: place });
  };
  const onClick = (event: MouseEvent) => {
    const box = event.target instanceof HTMLInputElement ? event.target.dataset.tick : undefined;
    if (box === undefined) {
      if (touched(event) && samePlace(placeOf(event.target), pressed.current)) begin();
      return;
    }
    const index = Number(box);
    setRange({ from: { row: index, column: active.column }, to: { row: index, column: active.column } });
    if (event.shiftKey) tick(Math.min(index, active.row), Math.max(index, active.row));
    else tick(index, index);
  };

  if (rows.error && rows.total === undefined) return <Failure error={rows.error} onRetry={rows.again} />;
  const chosen = boundsOf({ from: range.from, to: active });
  const editor = () => {
    const column = columns[active.column];
    if (!editing || !column) return undefined;
    // Where the row has moved meanwhile, what is typed goes to the row that it was typed for.
    const { row, value, typed } = editing;
    return (
      <CellEditor
        key={`${row} ${column.name}`}
        column={column}
        value={value}
        typed={typed}
        onDone={(after, down, right) => end(row, column.name, value, after, down, right)}
        onCancel={() => {
          setEditing(undefined);
          scroller.current?.focus({ preventScroll: true });
        }}
      />
    );
  };
  return (
    <div
      ref={scroller}
      role="grid"
      tabIndex={0}
      aria-label={t('Rows of {name}', { name: table.name })}
      aria-rowcount={rows.total === undefined ? -1 : rows.total + 1}
      aria-colcount={columns.length + (mayWrite ? 1 : 0)}
      aria-multiselectable="true"
      aria-readonly={!mayWrite}
      aria-busy={rows.reading}
      aria-activedescendant={total > 0 ? cellId(active.row, active.column) : undefined}
      className={classes.scroller}
      onMouseDown={onMouseDown}
      onClick={onClick}
      onDoubleClick={(event) => placeOf(event.target) && begin()}
      onKeyDown={onKeyDown}
    >
      <div role="rowgroup" className={classes.head} style={{ width }}>
        <GridHead
          columns={columns}
          sorting={view.sorting}
          onSort={props.onSort}
          mayWrite={mayWrite}
          ticked={ticked}
          onTicked={onTicked}
        />
      </div>
      <div role="rowgroup" className={classes.body} style={{ height: virtual.getTotalSize(), width }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows.rowAt(index);
          const within = index >= chosen.top && index <= chosen.bottom;
          const here = index === active.row;
          return (
            <GridRow
              key={here ? 'active' : index % slots}
              index={index}
              row={row}
              columns={columns}
              top={start - HEAD_HEIGHT}
              width={width}
              left={within ? chosen.left : -1}
              right={within ? chosen.right : -1}
              active={here ? active.column : -1}
              ticked={isSelected(ticked, row?.id)}
              fixed={ticked === 'all'}
              mayWrite={mayWrite}
              {...(here && editing && { editor: editor() })}
            />
          );
        })}
      </div>
      {rows.total === 0 && <p className={classes.nothing}>{t('No row matches.')}</p>}
    </div>
  );
}

/** A finger has no keys: a second touch of a cell writes it. */
function touched({ nativeEvent }: MouseEvent): boolean {
  return 'pointerType' in nativeEvent && nativeEvent.pointerType === 'touch';
}

const samePlace = (one: Place | undefined, other: Place | undefined) =>
  one !== undefined && one.row === other?.row && one.column === other.column;

function placeOf(target: EventTarget): Place | undefined {
  const cell = target instanceof Element ? target.closest<HTMLElement>('[data-place]') : null;
  // A cell that is being written keeps the clicks in its field.
  if (!cell || (target instanceof Element && target.closest('input, select'))) return undefined;
  return { row: Number(cell.dataset.row), column: Number(cell.dataset.place) };
}
