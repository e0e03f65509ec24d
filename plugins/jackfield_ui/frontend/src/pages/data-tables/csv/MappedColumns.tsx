import { NativeSelect, Text, TextInput } from '@mantine/core';
import { t } from '../../../language/messages';
import { TYPES } from '../AddColumn';
import { MOST_NAME } from '../grid/ColumnMenu';
import type { DataTableShown } from '../queries';
import classes from './csv.module.css';
import { type Goal, problemAt } from './mapping';
import type { CsvPreview } from './requests';

/** Values of a choice that are no column: these begin with a letter. */
const OUT = '-';
const NEW = '+';
const SHOWN = 3;

interface Props {
  found: CsvPreview;
  goals: readonly Goal[];
  table: DataTableShown | undefined;
  onGoals: (goals: Goal[]) => void;
}

/** Where each column of a file goes. */
export function MappedColumns({ found, goals, table, onGoals }: Props) {
  const columns = found.columns.map((column, place) => ({ ...column, place, key: `${place}` }));
  return (
    <ul className={classes.mapping} aria-label={t('Columns of the file')}>
      {columns.map(({ key, name, suggestedName, type, place }) => {
        const goal = goals[place] ?? { kind: 'out' };
        const put = (next: Goal) => onGoals(goals.map((each, at) => (at === place ? next : each)));
        const choose = (value: string) => {
          if (value === OUT) put({ kind: 'out' });
          else put(value === NEW ? { kind: 'new', name: suggestedName, type } : { kind: 'column', name: value });
        };
        const problem = problemAt(goals, place, table?.columns);
        const values = found.rows.map((cells) => cells[place] ?? '').filter((cell) => cell !== '');
        return (
          <li key={key}>
            <div className={classes.column}>
              <Text size="sm" fw={600} truncate>
                {name || t('Column {place}', { place: place + 1 })}
              </Text>
              <Text size="xs" c="dimmed" truncate>
                {values.slice(0, SHOWN).join(', ') || t('no value')}
              </Text>
            </div>
            <NativeSelect
              aria-label={t('Column for {name}', { name: name || t('column {place}', { place: place + 1 }) })}
              value={goal.kind === 'column' ? goal.name : goal.kind === 'new' ? NEW : OUT}
              data={[
                { value: OUT, label: t('leave out') },
                ...(table?.columns ?? []).map((column) => ({
                  value: column.name,
                  label: `${column.name} (${column.type})`,
                })),
                { value: NEW, label: t('a new column') },
              ]}
              error={goal.kind === 'column' && problem}
              onChange={(event) => choose(event.currentTarget.value)}
            />
            {goal.kind === 'new' && (
              <>
                <TextInput
                  aria-label={t('Name of the new column for {name}', {
                    name: name || t('column {place}', { place: place + 1 }),
                  })}
                  maxLength={MOST_NAME}
                  value={goal.name}
                  error={problem}
                  onChange={(event) => put({ ...goal, name: event.currentTarget.value })}
                />
                <NativeSelect
                  aria-label={t('Type of the new column for {name}', {
                    name: name || t('column {place}', { place: place + 1 }),
                  })}
                  value={goal.type}
                  data={TYPES.map(({ value }) => value)}
                  onChange={({ currentTarget: { value } }) =>
                    put({ ...goal, type: TYPES.find((each) => each.value === value)?.value ?? goal.type })
                  }
                />
              </>
            )}
          </li>
        );
      })}
    </ul>
  );
}
