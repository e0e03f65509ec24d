import { Skeleton } from '@mantine/core';
import { useRef, useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { areaPath } from '../../app/areas';
import { confirm } from '../../components/confirm';
import { EmptyState } from '../../components/EmptyState';
import { Failure } from '../../components/Failure';
import { count } from '../../components/format';
import { Page } from '../../components/Page';
import { useBelonging } from '../../components/projects/rights';
import { t } from '../../language/messages';
import { AddColumn } from './AddColumn';
import { FilterPanel } from './FilterPanel';
import { EVERYTHING, filterText, type View } from './filters';
import { Grid, type GridHandle } from './grid/Grid';
import classes from './grid/grid.module.css';
import { NO_ROWS, type Selection, selectedCount } from './grid/selection';
import { MOST_UNDONE, useEdits } from './grid/useEdits';
import { type DataTableShown, useTable, useTableEvents } from './queries';
import { TableMenu } from './TableMenu';
import { Toolbar } from './Toolbar';
import { UsedBy } from './UsedBy';

const CRUMBS = [{ label: t('Data tables'), to: areaPath('data-tables') }];

export default function Table() {
  const { id = '' } = useParams();
  const navigate = useNavigate();
  const { data: table, error, refetch } = useTable(id);
  useTableEvents(id);
  const belonging = useBelonging('data-table', [id]);
  return (
    <div className={classes.page}>
      <Page
        title={table?.name ?? t('Data table')}
        crumbs={CRUMBS}
        actions={
          table && (
            <>
              <UsedBy table={table} />
              <TableMenu table={table} belonging={belonging} onDeleted={() => void navigate(areaPath('data-tables'))} />
            </>
          )
        }
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
  const mayWrite = useBelonging('data-table', [id]).may(id, 'write');
  const [view, setView] = useState<View>(EVERYTHING);
  const [filtering, setFiltering] = useState(false);
  const [adding, setAdding] = useState(false);
  const [ticked, setTicked] = useState<Selection>(NO_ROWS);
  const [total, setTotal] = useState<number>();
  const grid = useRef<GridHandle>(null);
  const edits = useEdits(id);
  const change = (part: Partial<View>) => {
    setView({ ...view, ...part });
    setTicked(NO_ROWS);
  };
  const addRow = async () => {
    // In another order, or where a filter leaves it out, nobody would see the new row.
    const everything = !view.sorting && !view.search && !filterText(view.conditions, view.join);
    if (!everything) change(EVERYTHING);
    grid.current?.goTo({ row: everything && total !== undefined ? total : (table.rows ?? 0), column: 1 });
    await edits.change([], [{}]);
  };
  const remove = async () => {
    const rows = selectedCount(ticked, total);
    if (rows === 0) return;
    const title = t('{rows, plural, one {Delete # row of “{name}”?} other {Delete # rows of “{name}”?}}', {
      rows,
      name: table.name,
    });
    const body =
      rows <= MOST_UNDONE
        ? t('Undo brings them back, with their IDs, as long as this page is open.')
        : t('You cannot undo this: undo restores at most {mostUndone} rows.', {
            mostUndone: count(MOST_UNDONE),
          });
    if (!(await confirm({ title, body, action: t('Delete') }))) return;
    await (ticked === 'all' ? edits.removeAll(view, rows) : edits.remove([...ticked]));
    setTicked(NO_ROWS);
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
        onDelete={remove}
        onView={change}
        filtering={filtering}
        onFiltering={setFiltering}
        onAddRow={addRow}
        onAddColumn={() => setAdding(true)}
        edits={edits}
      />
      {filtering && !empty && <FilterPanel table={table} view={view} onChange={change} />}
      {empty ? (
        <EmptyState title={t('No columns yet')}>
          {mayWrite ? t('Add a column first. Rows need at least one.') : t('Somebody with write access adds them.')}
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
          onPasted={({ edits: changed, added }) => void edits.change(changed, added)}
          onDelete={() => void remove()}
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
