import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { eachOf } from '../../../components/eachOf';
import { notifyError } from '../../../components/notify';
import { t } from '../../../language/messages';
import type { View } from '../filters';
import {
  addRows,
  changeRow,
  type DataRow,
  deleteRows,
  deleteView,
  KEY,
  type RowValues,
  restoreRows,
  rowsKey,
} from '../queries';
import { type RowEdit, type Step, stepped, turned } from './steps';
import type { RowPage } from './useRows';

/** Rows that come back with their ids when their deletion is undone, of one action. */
export const MOST_UNDONE = 1000;

/**
 * Changes of cells, added and deleted rows: undone and done again. Cells are shown at once, and taken back where the daemon
 * refuses them.
 */
export function useEdits(id: string) {
  const client = useQueryClient();
  const done = useRef<readonly Step[]>([]);
  const undone = useRef<readonly Step[]>([]);
  const last = useRef(Promise.resolve());
  const [count, setCount] = useState({ done: 0, undone: 0 });
  const tell = () => setCount({ done: done.current.length, undone: undone.current.length });

  const show = (edits: readonly RowEdit[]) => {
    const values = new Map(edits.map(({ row, after }) => [row, after]));
    client.setQueriesData<RowPage>({ queryKey: rowsKey(id) }, (page) => page && changedPage(page, values));
  };
  /** Whether all of it was done. */
  const send = async (edits: readonly RowEdit[]): Promise<boolean> => {
    if (edits.length === 0) return true;
    await client.cancelQueries({ queryKey: rowsKey(id) });
    show(edits);
    const { failed } = await eachOf(edits, ({ row, after }) => changeRow(id, row, after));
    show(failed.map(({ key: { row, before } }) => ({ row, before, after: before })));
    const [first] = failed;
    if (first)
      notifyError(
        new Error(first.reason),
        t('{failed} of {edits} rows were not changed', { failed: failed.length, edits: edits.length }),
      );
    return failed.length === 0;
  };
  /** The step as it was done; undefined: not all of it was. */
  const run = async (step: Step): Promise<Step | undefined> => {
    try {
      if (!(await send(step.edits))) return undefined;
      if (step.added.length) await restoreRows(id, step.added);
      // As they are now: others may have changed them since.
      const deleted = await deleteRows(
        id,
        step.deleted.map(({ id }) => id ?? 0),
      );
      return { ...step, deleted };
    } catch (error) {
      notifyError(error, t('Not all of it was done'));
      return undefined;
    } finally {
      void client.invalidateQueries({ queryKey: KEY });
    }
  };
  // One after the other: what is undone while it is still being sent is undone as soon as it was.
  const inTurn = (act: () => Promise<void>): Promise<void> => {
    last.current = last.current.then(act);
    return last.current;
  };
  const keep = (step: Step | undefined) => {
    if (!step || step.edits.length + step.added.length + step.deleted.length === 0) return;
    done.current = stepped(done.current, step);
    undone.current = [];
    tell();
  };
  const move = async (from: typeof done, to: typeof done, back: boolean) => {
    const step = from.current.at(-1);
    if (!step) return;
    from.current = from.current.slice(0, -1);
    tell();
    const ran = await run(back ? turned(step) : step);
    if (ran) to.current = stepped(to.current, back ? turned(ran) : ran);
    tell();
  };
  /** Changes cells, then adds rows. */
  const change = (edits: readonly RowEdit[], values: readonly RowValues[] = []) => {
    show(edits);
    return inTurn(async () => {
      const ran = await run({ edits, added: [], deleted: [] });
      let added: DataRow[] = [];
      try {
        if (ran && values.length) added = await addRows(id, [...values]);
      } catch (error) {
        notifyError(error, t('No row was added'));
      }
      keep(ran && { ...ran, added });
      if (values.length) await client.invalidateQueries({ queryKey: KEY });
    });
  };
  const removed = (act: () => Promise<DataRow[]>) =>
    inTurn(async () => {
      try {
        keep({ edits: [], added: [], deleted: await act() });
      } catch (error) {
        notifyError(error, t('Not all rows were deleted'));
      } finally {
        await client.invalidateQueries({ queryKey: KEY });
      }
    });
  return {
    change,
    remove: (rows: readonly number[]) =>
      removed(async () => {
        const gone = await deleteRows(id, rows);
        return rows.length <= MOST_UNDONE ? gone : [];
      }),
    /** total: how many rows the view has. */
    removeAll: (view: View, total: number) => removed(() => deleteView(id, view, total <= MOST_UNDONE)),
    undo: () => inTurn(() => move(done, undone, true)),
    redo: () => inTurn(() => move(undone, done, false)),
    mayUndo: count.done > 0,
    mayRedo: count.undone > 0,
  };
}

function changedPage(page: RowPage, values: ReadonlyMap<number, RowValues>): RowPage {
  if (!page.data.some(({ id }) => id !== null && values.has(id))) return page;
  const changed = (row: DataRow): DataRow => {
    const found = row.id === null ? undefined : values.get(row.id);
    return found ? { ...row, ...found } : row;
  };
  return { ...page, data: page.data.map(changed) };
}
