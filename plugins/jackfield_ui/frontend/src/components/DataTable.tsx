import { Button, Group, Text, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { EmptyState } from './EmptyState';
import { Failure } from './Failure';
import { count } from './format';
import classes from './table/DataTable.module.css';
import { Head, SelectAll, SortOfCards } from './table/Head';
import { Pages } from './table/Pages';
import { Rows, Skeletons } from './table/Rows';
import { type Sorting, sorted } from './table/sorting';
import type { DataTableProps } from './table/types';

export type { Column, DataTableProps, Selection } from './table/types';

/** Rows that are drawn at once, and those that are added: a list of thousands is not drawn in one go. */
const DRAWN = 100;
/** From so many rows on, there is a field that filters them. */
const MANY = 12;

/**
 * A list. Arrow keys go from row to row, Enter opens, Space selects. At less than 48 em each row becomes a card.
 * Give `primary` to the column with the name and put a link into it, so that a row also opens in a new tab.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, error, onRetry, empty, selection, rowActions, initialSort, paging, more } = props;
  const { textOf } = props;
  const [sorting, setSorting] = useState<Sorting | undefined>(initialSort);
  const [wanted, setWanted] = useState('');
  const [limit, setLimit] = useState(DRAWN);
  const shown = useMemo(() => {
    const text = wanted.trim().toLowerCase();
    const fitting = textOf && text ? rows?.filter((row) => textOf(row).toLowerCase().includes(text)) : rows;
    const by = columns.find(({ key }) => key === sorting?.key)?.sort;
    return fitting && by && sorting ? sorted(fitting, by, sorting.descending) : fitting;
  }, [rows, columns, sorting, textOf, wanted]);

  if (error && !rows) return <Failure error={error} {...(onRetry ? { onRetry } : {})} />;
  if (rows?.length === 0 && (paging?.offset ?? 0) === 0) {
    return <div className={classes.box}>{empty ?? <EmptyState title={`No ${label.toLowerCase()}`} />}</div>;
  }
  const width = columns.length + (selection ? 1 : 0) + (rowActions ? 1 : 0);
  const drawn = shown?.slice(0, limit);
  const left = (shown?.length ?? 0) - (drawn?.length ?? 0);
  const showMore = () => {
    setLimit((before) => before + DRAWN);
    if (left === 0) more?.onMore();
  };
  return (
    <>
      <Group gap="sm" className={classes.tools}>
        {textOf && rows && (rows.length > MANY || wanted) && (
          <>
            <TextInput
              aria-label={`Filter: ${label}`}
              placeholder="Filter"
              leftSection={<IconSearch size={14} aria-hidden="true" />}
              value={wanted}
              onChange={(event) => setWanted(event.currentTarget.value)}
            />
            <Text size="sm" c="dimmed" role="status">
              {wanted && `${count(shown?.length ?? 0)} of ${count(rows.length)}`}
            </Text>
          </>
        )}
        <SortOfCards columns={columns} sorting={sorting} onSort={setSorting} />
      </Group>
      <div className={classes.box}>
        <table className={classes.table} role="table" aria-label={label} aria-busy={!rows}>
          <thead role="rowgroup">
            <tr role="row">
              {selection && (
                <th role="columnheader" className={classes.tick}>
                  <SelectAll rows={drawn ?? []} rowKey={props.rowKey} selection={selection} />
                </th>
              )}
              {columns.map((column) => (
                <Head key={column.key} column={column} sorting={sorting} onSort={setSorting} />
              ))}
              {rowActions && (
                <th role="columnheader">
                  <span className="jf-hidden">Actions</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody role="rowgroup">{drawn ? <Rows {...props} rows={drawn} /> : <Skeletons width={width} />}</tbody>
        </table>
        {shown?.length === 0 && (
          <Text c="dimmed" p="md">
            {wanted ? 'Nothing here has this in it.' : 'There is nothing on this page.'}
          </Text>
        )}
      </div>
      {paging && rows && <Pages {...paging} shown={rows.length} />}
      {(left > 0 || more?.has) && (
        <Group justify="center" mt="md" gap="md">
          {left > 0 && (
            <Text size="sm" c="dimmed">
              {count(left)} more
            </Text>
          )}
          <Button variant="default" loading={left === 0 && (more?.loading ?? false)} onClick={showMore}>
            Show more
          </Button>
        </Group>
      )}
    </>
  );
}
