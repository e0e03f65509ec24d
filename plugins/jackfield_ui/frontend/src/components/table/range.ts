/** The keys that are selected after `key` was pressed; with an anchor all from there to it get what `key` gets. */
export function picked(
  keys: readonly string[],
  selected: ReadonlySet<string>,
  key: string,
  anchor: string | undefined,
): Set<string> {
  const next = new Set(selected);
  const on = !selected.has(key);
  const from = anchor === undefined ? -1 : keys.indexOf(anchor);
  const to = keys.indexOf(key);
  const range = from < 0 || to < 0 ? [key] : keys.slice(Math.min(from, to), Math.max(from, to) + 1);
  for (const one of range) {
    if (on) next.add(one);
    else next.delete(one);
  }
  return next;
}
