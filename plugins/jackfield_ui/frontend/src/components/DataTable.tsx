import { Button, Group, Text, TextInput } from '@mantine/core';
import { IconSearch } from '../icons/drawn';
import { inside, t } from '../language/messages';
import { EmptyState } from './EmptyState';
import { Failure } from './Failure';
import { count } from './format';
import classes from './table/DataTable.module.css';
import { Head, SelectAll, SortOfCards } from './table/Head';
import { Pages } from './table/Pages';
import { Rows, Skeletons } from './table/Rows';
import type { DataTableProps } from './table/types';
import { useRows } from './table/useRows';

export type { Column, DataTableProps, Selection } from './table/types';

/** From so many rows on, there is a field that filters them. */
const MANY = 12;

/**
 * A list. Arrow keys go from row to row, Enter opens, Space selects, with Shift all from the last one. At less than 48 em each row becomes a card.
 * Give `primary` to the column with the name and put a link into it, so that a row also opens in a new tab.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, error, onRetry, empty, selection, rowActions, paging, more } = props;
  const { textOf } = props;
  const { shown, sorting, setSorting, wanted, setWanted } = useRows(props);

  if (error && !rows) return <Failure error={error} {...(onRetry ? { onRetry } : {})} />;
  if (rows?.length === 0 && (paging?.offset ?? 0) === 0) {
    return (
      <div className={classes.box}>{empty ?? <EmptyState title={t('No {label}', { label: inside(label) })} />}</div>
    );
  }
  const width = columns.length + (selection ? 1 : 0) + (rowActions ? 1 : 0);
  return (
    <>
      <Group gap="sm" className={classes.tools}>
        {textOf && rows && (rows.length > MANY || wanted) && (
          <>
            <TextInput
              aria-label={t('Filter: {label}', { label })}
              placeholder={t('Filter')}
              leftSection={<IconSearch size={14} aria-hidden="true" />}
              value={wanted}
              onChange={(event) => setWanted(event.currentTarget.value)}
            />
            <Text size="sm" c="dimmed" role="status">
              {wanted && t('{shown} of {rows}', { shown: count(shown?.length ?? 0), rows: count(rows.length) })}
            </Text>
          </>
        )}
        <SortOfCards columns={columns} sorting={sorting} onSort={setSorting} />
      </Group>
      <div className={classes.box}>
        <table
          className={classes.table}
          role="table"
          aria-label={label}
          aria-busy={!rows}
          aria-rowcount={shown && shown.length + 1}
        >
          <thead role="rowgroup">
            <tr role="row">
              {selection && (
                <th role="columnheader" className={classes.tick}>
                  <SelectAll rows={shown ?? []} rowKey={props.rowKey} selection={selection} />
                </th>
              )}
              {columns.map((column) => (
                <Head key={column.key} column={column} sorting={sorting} onSort={setSorting} />
              ))}
              {rowActions && (
                <th role="columnheader">
                  <span className="jf-hidden">{t('Actions')}</span>
                </th>
              )}
            </tr>
          </thead>
          {shown ? <Rows {...props} rows={shown} width={width} /> : <Skeletons width={width} />}
        </table>
        {shown?.length === 0 && (
          <Text c="dimmed" p="md">
            {wanted ? t('Nothing here has this in it.') : t('There is nothing on this page.')}
          </Text>
        )}
      </div>
      {paging && rows && <Pages {...paging} shown={rows.length} />}
      {more?.has && (
        <Group justify="center" mt="md">
          <Button variant="default" loading={more.loading} onClick={more.onMore}>
            {t('Show more')}
          </Button>
        </Group>
      )}
    </>
  );
}
