/** Which rows are selected: all of the view, also those that nothing is read of, or those with these ids. */
export type Selection = 'all' | ReadonlySet<number>;

export const NO_ROWS: Selection = new Set();

export function isSelected(selection: Selection, id: number | null | undefined): boolean {
  return selection === 'all' || (id != null && selection.has(id));
}

/** total: rows of the view. */
export function selectedCount(selection: Selection, total: number | undefined): number {
  return selection === 'all' ? (total ?? 0) : selection.size;
}

/** All of these are selected, or none where they are already. A single row of all is not taken out. */
export function toggled(selection: Selection, ids: readonly number[]): Selection {
  if (selection === 'all') return selection;
  const next = new Set(selection);
  const there = ids.every((id) => selection.has(id));
  for (const id of ids)
    if (there) next.delete(id);
    else next.add(id);
  return next;
}
