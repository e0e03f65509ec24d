import { ActionIcon, Group, NativeSelect, TextInput } from '@mantine/core';
import { IconX } from '../../icons/drawn';
import { t } from '../../language/messages';
import { OPERATOR_LABELS, operatorsOf, type RowCondition, takesValue } from './filters';
import { type GridColumn, readCell } from './grid/cells';

interface Props {
  condition: RowCondition;
  columns: readonly GridColumn[];
  onChange: (condition: RowCondition) => void;
  onRemove: () => void;
}

/** One condition on the rows: a column, a comparison, and the value that its type takes. */
export function ConditionRow({ condition, columns, onChange, onRemove }: Props) {
  const { column, operator, value } = condition;
  const type = columns.find(({ name }) => name === column)?.type ?? 'string';
  const read = readCell(value, type);
  const choose = (name: string) => {
    const next = columns.find((each) => each.name === name)?.type ?? 'string';
    const fits = operatorsOf(next).includes(operator);
    onChange({ column: name, operator: fits ? operator : 'eq', value: next === type ? value : '' });
  };
  return (
    <Group gap="sm" wrap="wrap" align="flex-start">
      <NativeSelect
        aria-label={t('Column')}
        data={columns.map(({ name }) => name)}
        value={column}
        onChange={(event) => choose(event.currentTarget.value)}
        w={150}
      />
      <NativeSelect
        aria-label={t('Comparison')}
        data={operatorsOf(type).map((each) => ({ value: each, label: OPERATOR_LABELS[each] }))}
        value={operator}
        onChange={(event) => {
          const next = operatorsOf(type).find((each) => each === event.currentTarget.value);
          if (next) onChange({ ...condition, operator: next });
        }}
        w={185}
      />
      {takesValue(operator) &&
        (type === 'boolean' ? (
          <NativeSelect
            aria-label={t('Value')}
            data={['', 'true', 'false']}
            value={value}
            onChange={(event) => onChange({ ...condition, value: event.currentTarget.value })}
            w={180}
          />
        ) : (
          <TextInput
            aria-label={t('Value')}
            placeholder={type === 'date' ? '2026-01-31' : ''}
            value={value}
            error={'error' in read && read.error}
            onChange={(event) => onChange({ ...condition, value: event.currentTarget.value })}
            w={180}
          />
        ))}
      <ActionIcon aria-label={t('Remove the condition on {column}', { column })} onClick={onRemove}>
        <IconX size={16} />
      </ActionIcon>
    </Group>
  );
}
