import { Checkbox, NativeSelect, UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '../../icons/drawn';
import { t } from '../../language/messages';
import classes from './DataTable.module.css';
import type { Column, Selection, Sorting } from './types';

export function Head<Row>({
  column: { key, title, sort, align, width },
  sorting,
  onSort,
}: {
  column: Column<Row>;
  sorting: Sorting | undefined;
  onSort: (sorting: Sorting) => void;
}) {
  const active = sorting?.key === key;
  const Sign = active ? (sorting.descending ? IconArrowDown : IconArrowUp) : IconArrowsSort;
  const order = active ? (sorting.descending ? 'descending' : 'ascending') : undefined;
  return (
    <th role="columnheader" aria-sort={sort ? (order ?? 'none') : undefined} data-align={align} style={{ width }}>
      {sort ? (
        <UnstyledButton
          className={classes.sort}
          onClick={() => onSort({ key, descending: active && !sorting.descending })}
        >
          {title}
          <Sign size={13} aria-hidden="true" data-active={active || undefined} />
        </UnstyledButton>
      ) : (
        title
      )}
    </th>
  );
}

/** Cards have no heads to press. */
export function SortOfCards<Row>({
  columns,
  sorting,
  onSort,
}: {
  columns: readonly Column<Row>[];
  sorting: Sorting | undefined;
  onSort: (sorting: Sorting | undefined) => void;
}) {
  const sortable = columns.filter(({ sort }) => sort);
  if (sortable.length === 0) return null;
  const choices = sortable.flatMap(({ key, title }) => [
    { value: `+${key}`, label: t('{title}, ascending', { title }) },
    { value: `-${key}`, label: t('{title}, descending', { title }) },
  ]);
  return (
    <NativeSelect
      hiddenFrom="sm"
      aria-label={t('Sort by')}
      leftSection={<IconArrowsSort size={14} aria-hidden="true" />}
      data={sorting ? choices : [{ value: '', label: t('As they come') }, ...choices]}
      value={sorting ? `${sorting.descending ? '-' : '+'}${sorting.key}` : ''}
      onChange={({ currentTarget: { value } }) =>
        onSort(value ? { key: value.slice(1), descending: value.startsWith('-') } : undefined)
      }
    />
  );
}

export function SelectAll<Row>({
  rows,
  rowKey,
  selection: { selected, onChange },
}: {
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  selection: Selection;
}) {
  const all = rows.length > 0 && rows.every((row) => selected.has(rowKey(row)));
  return (
    <Checkbox
      aria-label={t('Select all rows of this page')}
      checked={all}
      indeterminate={!all && selected.size > 0}
      onChange={() => onChange(new Set(all ? [] : rows.map(rowKey)))}
    />
  );
}
