import { UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '../../../icons/drawn';
import { t } from '../../../language/messages';
import type { View } from '../filters';
import { ColumnMenu } from './ColumnMenu';
import type { GridColumn } from './cells';
import { TICK } from './GridRow';
import classes from './grid.module.css';
import { NO_ROWS, type Selection } from './selection';

type Sorting = View['sorting'];

interface Props {
  columns: readonly GridColumn[];
  sorting: Sorting;
  onSort: (sorting: Sorting) => void;
  mayWrite: boolean;
  ticked: Selection;
  onTicked: (ticked: Selection) => void;
}

/** Names and types of the columns; a click sorts by one, upwards, downwards and not at all. */
export function GridHead({ columns, sorting, onSort, mayWrite, ticked, onTicked }: Props) {
  return (
    <div role="row" tabIndex={-1} aria-rowindex={1} className={classes.headRow}>
      {mayWrite && (
        <div role="columnheader" tabIndex={-1} aria-colindex={1} className={classes.tick} style={{ width: TICK }}>
          <input
            type="checkbox"
            aria-label={t('Select all rows')}
            checked={ticked === 'all'}
            ref={(box) => {
              if (box) box.indeterminate = ticked !== 'all' && ticked.size > 0;
            }}
            onChange={() => onTicked(ticked === 'all' ? NO_ROWS : 'all')}
          />
        </div>
      )}
      {columns.map((column, place) => {
        const way = sorting?.column === column.name ? sorting : undefined;
        return (
          <div
            key={column.name}
            role="columnheader"
            tabIndex={-1}
            aria-colindex={place + (mayWrite ? 2 : 1)}
            aria-sort={way ? (way.descending ? 'descending' : 'ascending') : 'none'}
            className={classes.heading}
            style={{ width: column.width }}
          >
            <UnstyledButton className={classes.sort} onClick={() => onSort(next(column.name, way))}>
              <span>{column.name}</span>
              <span className={classes.type}>{column.type === 'date' ? t('date, UTC') : column.type}</span>
              {way && (way.descending ? <IconArrowDown size={14} /> : <IconArrowUp size={14} />)}
            </UnstyledButton>
            {mayWrite && column.column && <ColumnMenu column={column.column} last={columns.length - 4} />}
          </div>
        );
      })}
    </div>
  );
}

function next(column: string, way: Sorting): Sorting {
  if (!way) return { column, descending: false };
  return way.descending ? undefined : { column, descending: true };
}
