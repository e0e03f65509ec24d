/** What was done to a table's rows, so that it can be undone. */
import type { DataRow, RowValues } from '../queries';

/** One row's cells before and after. */
export interface RowEdit {
  row: number;
  before: RowValues;
  after: RowValues;
}

/** What one action did, which is undone as a whole. */
export interface Step {
  edits: readonly RowEdit[];
  /** Rows that are there since. */
  added: readonly DataRow[];
  /** Rows that are gone since, as they were. */
  deleted: readonly DataRow[];
}

export const MOST_STEPS = 100;
/** Rows that all steps together keep. */
export const MOST_ROWS = 10_000;

/** With one step more; those that are the furthest back are forgotten. */
export function stepped(steps: readonly Step[], step: Step): readonly Step[] {
  const kept = [...steps, step].slice(-MOST_STEPS);
  let rows = 0;
  const from = kept.findLastIndex(({ added, deleted }) => {
    rows += added.length + deleted.length;
    return rows > MOST_ROWS;
  });
  return kept.slice(from + 1);
}

/** The step that undoes this one. */
export function turned({ edits, added, deleted }: Step): Step {
  const back = edits.map(({ row, before, after }) => ({ row, before: after, after: before }));
  return { edits: back, added: deleted, deleted: added };
}
