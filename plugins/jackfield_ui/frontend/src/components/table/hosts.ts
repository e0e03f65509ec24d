import { t } from '../../language/messages';
import type { Column } from './types';

interface Placed {
  /** In a list that is joined over hosts. */
  host?: string | null;
}

/** With the host behind the first column, where the rows are of several hosts. */
export function withHost<Row extends Placed>(
  columns: readonly Column<Row>[],
  rows: readonly Row[] = [],
): readonly Column<Row>[] {
  const [first, ...others] = columns;
  if (!first || new Set(rows.map(hostOf)).size < 2) return columns;
  return [first, { key: 'host', title: t('Host'), sort: hostOf, render: hostOf }, ...others];
}

export function hostOf({ host }: Placed): string {
  return host ?? '';
}
