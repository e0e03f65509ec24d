import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { eachOf } from '../../../components/eachOf';
import { notifyError } from '../../../components/notify';
import { changeRow, type DataRow, KEY, type RowValues, rowsKey } from '../queries';
import type { RowPage } from './useRows';

/** One row's cells before and after. */
export interface RowEdit {
  row: number;
  before: RowValues;
  after: RowValues;
}

/** What one action did, which is undone as a whole. */
type Step = readonly RowEdit[];

const MOST_STEPS = 100;

/** Changes of cells: shown at once, taken back where the daemon refuses them, undone and done again. */
export function useEdits(id: string) {
  const client = useQueryClient();
  const done = useRef<Step[]>([]);
  const undone = useRef<Step[]>([]);
  const last = useRef(Promise.resolve());
  const [count, setCount] = useState({ done: 0, undone: 0 });
  const tell = () => setCount({ done: done.current.length, undone: undone.current.length });

  const show = (edits: Step) => {
    const values = new Map(edits.map(({ row, after }) => [row, after]));
    client.setQueriesData<RowPage>({ queryKey: rowsKey(id) }, (page) => page && changedPage(page, values));
  };
  /** Whether all of it was done. */
  const send = async (step: Step): Promise<boolean> => {
    await client.cancelQueries({ queryKey: rowsKey(id) });
    show(step);
    const { failed } = await eachOf(step, ({ row, after }) => changeRow(id, row, after));
    show(failed.map(({ key: { row, before } }) => ({ row, before, after: before })));
    const [first] = failed;
    if (first) notifyError(new Error(first.reason), `${failed.length} of ${step.length} rows were not changed`);
    void client.invalidateQueries({ queryKey: KEY });
    return failed.length === 0;
  };
  // One after the other: what is undone while it is still being sent is undone as soon as it was.
  const inTurn = (act: () => Promise<void>): Promise<void> => {
    last.current = last.current.then(act);
    return last.current;
  };
  const keep = async (step: Step) => {
    if (step.length === 0 || !(await send(step))) return;
    done.current = [...done.current, step].slice(-MOST_STEPS);
    undone.current = [];
    tell();
  };
  const undo = async () => {
    const step = done.current.pop();
    if (!step) return;
    tell();
    if (await send(step.map(({ row, before, after }) => ({ row, before: after, after: before })))) {
      undone.current.push(step);
    }
    tell();
  };
  const redo = async () => {
    const step = undone.current.pop();
    if (!step) return;
    tell();
    if (await send(step)) done.current.push(step);
    tell();
  };
  const change = (step: Step) => {
    show(step);
    return inTurn(() => keep(step));
  };
  return {
    change,
    undo: () => inTurn(undo),
    redo: () => inTurn(redo),
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
