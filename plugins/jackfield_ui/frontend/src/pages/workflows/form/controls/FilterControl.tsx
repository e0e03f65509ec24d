import { Group, SegmentedControl, Select, Stack } from '@mantine/core';
import { isRecord } from '../../../../api/errors';
import { t } from '../../../../language/messages';
import { ALONE, CONDITION_TYPES, emptyCondition, FILTER_OPTIONS, OPERATIONS } from '../conditions';
import { useFormState } from '../context';
import type { DraggedField } from '../drag';
import { FieldView } from '../FieldView';
import type { Control, Path } from '../model';
import { addLabel } from './CollectionControl';
import type { ControlProps } from './props';
import { AddButton, Frame, movesOf, Row } from './Rows';

type Condition = Record<string, unknown>;

/** Conditions of which all, or one, are to be met. */
export function FilterControl({ field, path, value, onChange, error }: ControlProps) {
  const { editable } = useFormState();
  const block = isRecord(value) ? value : {};
  const rows = (Array.isArray(block.conditions) ? block.conditions : []) as readonly Condition[];
  const write = (conditions: Condition[]) =>
    onChange({ options: { ...FILTER_OPTIONS }, combinator: 'and', ...block, conditions });
  return (
    <Frame field={field} error={error}>
      {rows.map((row, index) => (
        <Row
          key={String(row.id ?? index)}
          title={t('condition {index}', { index: index + 1 })}
          moves={movesOf(rows, index, write)}
        >
          <Compared
            row={row}
            number={index + 1}
            path={[...path, 'conditions', index]}
            onChange={(part) => write(rows.map((old, at) => (at === index ? { ...old, ...part } : old)))}
          />
        </Row>
      ))}
      <Group gap="sm">
        <AddButton label={addLabel(field, t('a condition'))} onClick={() => write([...rows, emptyCondition()])} />
        {rows.length > 1 && (
          <SegmentedControl
            size="xs"
            aria-label={t('Combination of the conditions')}
            readOnly={!editable}
            value={block.combinator === 'or' ? 'or' : 'and'}
            onChange={(combinator) => onChange({ ...block, combinator })}
            data={[
              { value: 'and', label: t('All of them') },
              { value: 'or', label: t('Any of them') },
            ]}
          />
        )}
      </Group>
    </Frame>
  );
}

interface ComparedProps {
  row: Condition;
  number: number;
  path: Path;
  onChange: (part: Condition) => void;
}

function Compared({ row, number, path, onChange }: ComparedProps) {
  const operator = isRecord(row.operator) ? row.operator : {};
  const type = typeof operator.type === 'string' ? operator.type : 'string';
  const operation = typeof operator.operation === 'string' ? operator.operation : 'equals';
  const dropped = (side: string) => (dragged: DraggedField) =>
    onChange({
      [side]: `=${dragged.expression}`,
      ...(side === 'leftValue' ? { operator: operatorOf(operator, dragged.type, operation) } : {}),
    });
  const side = (key: 'leftValue' | 'rightValue', label: string) => (
    <FieldView
      field={{ name: key, control: controlOf(type, operation, key), label, options: { text: true } }}
      path={[...path, key]}
      value={row[key]}
      onChange={(next) => onChange({ [key]: next ?? '' })}
      onDropped={dropped(key)}
    />
  );
  return (
    <Stack gap="xs">
      {side('leftValue', t('Value {number}', { number }))}
      <Operator {...{ operator, type, operation, number }} onChange={(next) => onChange({ operator: next })} />
      {!ALONE.has(operation) && side('rightValue', t('Compared with {number}', { number }))}
    </Stack>
  );
}

function Operator({
  operator,
  type,
  operation,
  number,
  onChange,
}: {
  operator: Condition;
  type: string;
  operation: string;
  number: number;
  onChange: (operator: Condition) => void;
}) {
  const { editable } = useFormState();
  const operations = { ...(OPERATIONS[type] ?? OPERATIONS.string) };
  if (!(operation in operations)) operations[operation] = operation;
  const types = CONDITION_TYPES.some(({ value }) => value === type)
    ? CONDITION_TYPES
    : [...CONDITION_TYPES, { value: type, label: type }];
  return (
    <Group gap="xs" grow wrap="nowrap">
      <Select
        aria-label={t('Type of condition {number}', { number })}
        data={[...types]}
        value={type}
        readOnly={!editable}
        allowDeselect={false}
        onChange={(next) => next && onChange(operatorOf(operator, next, operation))}
      />
      <Select
        aria-label={t('Comparison of condition {number}', { number })}
        data={Object.entries(operations).map(([value, label]) => ({ value, label }))}
        value={operation}
        readOnly={!editable}
        allowDeselect={false}
        onChange={(next) => next && onChange(operatorOf(operator, type, next))}
      />
    </Group>
  );
}

/** An operation that the type does not have gives way to its first. */
function operatorOf(before: Condition, type: string, operation: string): Condition {
  const known = OPERATIONS[type] ?? {};
  const { singleValue: _, ...others } = before;
  const next = operation in known ? operation : (Object.keys(known)[0] ?? 'equals');
  return { ...others, type, operation: next, ...(ALONE.has(next) ? { singleValue: true } : {}) };
}

function controlOf(type: string, operation: string, side: string): Control {
  if (operation.startsWith('length') && side === 'rightValue') return 'number';
  if (type === 'number' || type === 'boolean') return type === 'number' ? 'number' : 'switch';
  return 'text';
}
