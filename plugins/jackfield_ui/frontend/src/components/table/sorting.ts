export interface Sorting {
  key: string;
  descending: boolean;
}

export type SortValue = string | number | boolean | null | undefined;

/** Rows by a value of theirs; what has none stands at the end either way. Equal rows keep their order. */
export function sorted<Row>(rows: readonly Row[], valueIn: (row: Row) => SortValue, descending: boolean): Row[] {
  const order = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
  return [...rows].sort((left, right) => {
    const [a, b] = [valueIn(left), valueIn(right)];
    if (a === null || a === undefined || b === null || b === undefined) {
      return Number(a === null || a === undefined) - Number(b === null || b === undefined);
    }
    const compared = typeof a === 'string' && typeof b === 'string' ? order.compare(a, b) : Number(a) - Number(b);
    return descending ? -compared : compared;
  });
}
