/** Where one is in the grid, and which cells are chosen. */
export interface Place {
  row: number;
  column: number;
}

/** from: where the choice began; to: the active cell. */
export interface Range {
  from: Place;
  to: Place;
}

export interface Bounds {
  top: number;
  bottom: number;
  left: number;
  right: number;
}

export function boundsOf({ from, to }: Range): Bounds {
  return {
    top: Math.min(from.row, to.row),
    bottom: Math.max(from.row, to.row),
    left: Math.min(from.column, to.column),
    right: Math.max(from.column, to.column),
  };
}

const STEPS: Record<string, readonly [number, number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

interface Keys {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
}

/** Where a key leads to; undefined: it is no key that moves. page: rows that are in sight. */
export function moved(
  { key, ctrlKey, metaKey }: Keys,
  { row, column }: Place,
  size: { rows: number; columns: number; page: number },
): Place | undefined {
  const far = ctrlKey || metaKey;
  const last = { row: size.rows - 1, column: size.columns - 1 };
  const step = STEPS[key];
  if (step)
    return inside(far ? atEdge(step, row, column, last) : { row: row + step[0], column: column + step[1] }, last);
  if (key === 'Home') return { row: far ? 0 : row, column: 0 };
  if (key === 'End') return { row: far ? last.row : row, column: last.column };
  if (key === 'PageUp') return inside({ row: row - size.page, column }, last);
  if (key === 'PageDown') return inside({ row: row + size.page, column }, last);
  return undefined;
}

function atEdge([down, right]: readonly [number, number], row: number, column: number, last: Place): Place {
  const edge = (way: number, now: number, end: number) => (way === 0 ? now : way < 0 ? 0 : end);
  return { row: edge(down, row, last.row), column: edge(right, column, last.column) };
}

function inside({ row, column }: Place, last: Place): Place {
  return { row: Math.max(0, Math.min(row, last.row)), column: Math.max(0, Math.min(column, last.column)) };
}
