import { Button, Group, Paper, SegmentedControl, Stack } from '@mantine/core';
import { IconPlus } from '../../icons/drawn';
import { t } from '../../language/messages';
import { ConditionRow } from './ConditionRow';
import type { RowCondition, View } from './filters';
import { columnsOf } from './grid/cells';
import { type DataTableShown, MOST_CONDITIONS } from './queries';

interface Props {
  table: DataTableShown;
  view: View;
  onChange: (part: Pick<View, 'conditions' | 'join'>) => void;
}

/** The conditions that choose rows. */
export function FilterPanel({ table, view: { conditions, join }, onChange }: Props) {
  const columns = columnsOf(table.columns);
  const first = columns.find(({ column }) => column) ?? columns[0];
  const set = (next: readonly RowCondition[]) => onChange({ conditions: next, join });
  const add = () => first && set([...conditions, { column: first.name, operator: 'eq', value: '' }]);
  return (
    <Paper p="md" mb="sm" component="section" aria-label={t('Filter')}>
      <Stack gap="sm">
        {conditions.length > 1 && (
          <SegmentedControl
            size="xs"
            aria-label={t('Rows that match')}
            value={join}
            onChange={(next) => onChange({ conditions, join: next === 'or' ? 'or' : 'and' })}
            data={[
              { value: 'and', label: t('All conditions') },
              { value: 'or', label: t('Any condition') },
            ]}
            style={{ alignSelf: 'flex-start' }}
          />
        )}
        {conditions.map((condition, place) => (
          <ConditionRow
            key={place}
            condition={condition}
            columns={columns}
            onChange={(next) => set(conditions.with(place, next))}
            onRemove={() => set(conditions.toSpliced(place, 1))}
          />
        ))}
        <Group>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus size={14} aria-hidden="true" />}
            disabled={conditions.length >= MOST_CONDITIONS}
            onClick={add}
          >
            {t('Add condition')}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}
