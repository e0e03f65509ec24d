import { Skeleton } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { areaPath } from '../../app/areas';
import { useMay } from '../../app/session';
import { EmptyState } from '../../components/EmptyState';
import { Failure } from '../../components/Failure';
import { notifyError } from '../../components/notify';
import { Page } from '../../components/Page';
import { AddColumn } from './AddColumn';
import { FilterPanel } from './FilterPanel';
import { EVERYTHING, filterText, type View } from './filters';
import type { Pasted } from './grid/clipped';
import { Grid, type GridHandle } from './grid/Grid';
import classes from './grid/grid.module.css';
import { useEdits } from './grid/useEdits';
import { addRows, type DataTableShown, KEY, type RowValues, useTable, useTableEvents } from './queries';
import { TableMenu } from './TableMenu';
import { Toolbar } from './Toolbar';

const CRUMBS = [{ label: 'Data tables', to: areaPath('data-tables') }];

export default function Table() {
  const { id = '' } = useParams();
  const navigate = useNavigate();
  const { data: table, error, refetch } = useTable(id);
  useTableEvents(id);
  return (
    <div className={classes.page}>
      <Page
        title={table?.name ?? 'Data table'}
        crumbs={CRUMBS}
        actions={table && <TableMenu table={table} onDeleted={() => void navigate(areaPath('data-tables'))} />}
      >
        {error && !table && <Failure error={error} onRetry={() => void refetch()} />}
        {!error && !table && <Skeleton flex={1} />}
        {table && <Sheet key={table.id} table={table} />}
      </Page>
    </div>
  );
}

function Sheet({ table }: { table: DataTableShown }) {
  const { id } = table;
  const mayWrite = useMay('member');
  const client = useQueryClient();
  const [view, setView] = useState<View>(EVERYTHING);
  const [filtering, setFiltering] = useState(false);
  const [adding, setAdding] = useState(false);
  const [ticked, setTicked] = useState<ReadonlySet<number>>(new Set());
  const [total, setTotal] = useState<number>();
  const grid = useRef<GridHandle>(null);
  const edits = useEdits(id);
  const change = (part: Partial<View>) => {
    setView({ ...view, ...part });
    setTicked(new Set());
  };
  const add = async (rows: readonly RowValues[]) => {
    try {
      await addRows(id, [...rows]);
    } catch (error) {
      notifyError(error, 'No row was added');
      return;
    }
    await client.invalidateQueries({ queryKey: KEY });
  };
  const addRow = async () => {
    // In another order, or where a filter leaves it out, nobody would see the new row.
    const everything = !view.sorting && !view.search && !filterText(view.conditions, view.join);
    if (!everything) change(EVERYTHING);
    grid.current?.goTo({ row: everything && total !== undefined ? total : (table.rows ?? 0), column: 1 });
    await add([{}]);
  };
  const paste = async ({ edits: changed, added }: Pasted) => {
    await edits.change(changed);
    if (added.length) await add(added);
  };
  const empty = table.columns.length === 0;
  return (
    <>
      <Toolbar
        table={table}
        view={view}
        total={total}
        mayWrite={mayWrite}
        ticked={ticked}
        onTicked={setTicked}
        onView={change}
        filtering={filtering}
        onFiltering={setFiltering}
        onAddRow={addRow}
        onAddColumn={() => setAdding(true)}
        edits={edits}
      />
      {filtering && !empty && <FilterPanel table={table} view={view} onChange={change} />}
      {empty ? (
        <EmptyState title="No columns yet">
          {mayWrite ? 'Add the first column: then rows have something to hold.' : 'Someone who may write adds them.'}
        </EmptyState>
      ) : (
        <Grid
          table={table}
          view={view}
          onSort={(sorting) => change({ sorting })}
          mayWrite={mayWrite}
          ticked={ticked}
          onTicked={setTicked}
          onEdits={(changed) => void edits.change(changed)}
          onPasted={(pasted) => void paste(pasted)}
          onUndo={() => void edits.undo()}
          onRedo={() => void edits.redo()}
          onTotal={setTotal}
          ref={grid}
        />
      )}
      {adding && <AddColumn id={id} onClose={() => setAdding(false)} />}
    </>
  );
}
