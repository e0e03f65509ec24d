import { ActionIcon, Button, Fieldset, Group, SegmentedControl, Select, Stack, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { isRecord } from '../../../api/errors';
import type { FieldInfo } from '../../../components/schema/context';
import { usePanel } from './context';
import { WithExpression } from './fields';

const ALONE = new Set(['exists', 'notExists', 'empty', 'notEmpty', 'true', 'false']);
const PRESENT = { exists: 'exists', notExists: 'does not exist', empty: 'is empty', notEmpty: 'is not empty' };
const OPERATIONS: Record<string, Record<string, string>> = {
  string: {
    equals: 'is equal to',
    notEquals: 'is not equal to',
    contains: 'contains',
    notContains: 'does not contain',
    startsWith: 'starts with',
    notStartsWith: 'does not start with',
    endsWith: 'ends with',
    notEndsWith: 'does not end with',
    regex: 'matches the pattern',
    notRegex: 'does not match the pattern',
    ...PRESENT,
  },
  number: {
    equals: 'is equal to',
    notEquals: 'is not equal to',
    gt: 'is greater than',
    lt: 'is less than',
    gte: 'is at least',
    lte: 'is at most',
    ...PRESENT,
  },
  boolean: { true: 'is true', false: 'is false', equals: 'is equal to', notEquals: 'is not equal to', ...PRESENT },
  dateTime: {
    equals: 'is equal to',
    notEquals: 'is not equal to',
    after: 'is after',
    before: 'is before',
    afterOrEquals: 'is not before',
    beforeOrEquals: 'is not after',
    ...PRESENT,
  },
  array: {
    contains: 'contains',
    notContains: 'does not contain',
    lengthEquals: 'has the length',
    lengthNotEquals: 'has not the length',
    lengthGt: 'is longer than',
    lengthLt: 'is shorter than',
    lengthGte: 'is at least as long as',
    lengthLte: 'is at most as long as',
    ...PRESENT,
  },
  object: { ...PRESENT },
};
const TYPES = [
  { value: 'string', label: 'Text' },
  { value: 'number', label: 'Number' },
  { value: 'boolean', label: 'True or false' },
  { value: 'dateTime', label: 'Date and time' },
  { value: 'array', label: 'List' },
  { value: 'object', label: 'Object' },
];

/** Conditions that are all, or one of them, to be met: of If, Filter and Switch. */
export function ConditionsField({ label, value, onChange, path }: FieldInfo) {
  const { editable } = usePanel();
  const block = isRecord(value) ? value : {};
  const rows = (Array.isArray(block.conditions) ? block.conditions : []).map((row: unknown) =>
    isRecord(row) ? row : {},
  );
  const write = (conditions: unknown[]) =>
    onChange({
      options: { caseSensitive: true, leftValue: '', typeValidation: 'loose', version: 2 },
      combinator: 'and',
      ...block,
      conditions,
    });
  const put = (index: number, part: Record<string, unknown>) =>
    write(rows.map((row, at) => (at === index ? { ...row, ...part } : row)));
  const empty = () => ({
    id: crypto.randomUUID(),
    leftValue: '',
    rightValue: '',
    operator: { type: 'string', operation: 'equals' },
  });
  return (
    <Fieldset
      legend={
        path.length > 1
          ? `${label} ${path
              .filter((part) => typeof part === 'number')
              .map((part) => part + 1)
              .join('.')}`
          : label
      }
      p="md"
    >
      <Stack gap="md">
        {rows.map((row, index) => (
          <Condition
            key={String(row.id ?? index)}
            row={row}
            number={index + 1}
            editable={editable}
            onChange={(part) => put(index, part)}
            onRemove={() => write(rows.filter((_, at) => at !== index))}
          />
        ))}
        <Group gap="sm">
          {editable && (
            <Button
              variant="default"
              leftSection={<IconPlus size={16} aria-hidden="true" />}
              onClick={() => write([...rows, empty()])}
            >
              Add a condition
            </Button>
          )}
          {rows.length > 1 && (
            <SegmentedControl
              aria-label="How the conditions are combined"
              readOnly={!editable}
              value={block.combinator === 'or' ? 'or' : 'and'}
              onChange={(combinator) => onChange({ ...block, combinator })}
              data={[
                { value: 'and', label: 'All of them' },
                { value: 'or', label: 'Any of them' },
              ]}
            />
          )}
        </Group>
      </Stack>
    </Fieldset>
  );
}

function Condition({
  row,
  number,
  editable,
  onChange,
  onRemove,
}: {
  row: Record<string, unknown>;
  number: number;
  editable: boolean;
  onChange: (part: Record<string, unknown>) => void;
  onRemove: () => void;
}) {
  const operator = isRecord(row.operator) ? row.operator : {};
  const type = typeof operator.type === 'string' ? operator.type : 'string';
  const operation = typeof operator.operation === 'string' ? operator.operation : 'equals';
  const operations = { [operation]: operation, ...(OPERATIONS[type] ?? OPERATIONS.string) };
  const set = (nextType: string, next: string) => {
    const { singleValue: _, ...others } = operator;
    const alone = ALONE.has(next) ? { singleValue: true } : {};
    onChange({ operator: { ...others, type: nextType, operation: next, ...alone } });
  };
  return (
    <Group gap="xs" align="flex-start" wrap="nowrap">
      <Stack gap="xs" flex={1} miw={0}>
        <Side
          label={`Value ${number}`}
          value={row.leftValue}
          editable={editable}
          onChange={(leftValue) => onChange({ leftValue })}
        />
        <Group gap="xs" grow wrap="nowrap">
          <Select
            aria-label={`Type of condition ${number}`}
            data={TYPES}
            value={type}
            readOnly={!editable}
            allowDeselect={false}
            onChange={(next) => {
              const known = OPERATIONS[next ?? 'string'] ?? {};
              set(next ?? 'string', operation in known ? operation : (Object.keys(known)[0] ?? 'equals'));
            }}
          />
          <Select
            aria-label={`Comparison of condition ${number}`}
            data={Object.entries(operations).map(([key, text]) => ({ value: key, label: text }))}
            value={operation}
            readOnly={!editable}
            allowDeselect={false}
            onChange={(next) => set(type, next ?? 'equals')}
          />
        </Group>
        {!ALONE.has(operation) && (
          <Side
            label={`Compared with ${number}`}
            value={row.rightValue}
            editable={editable}
            onChange={(rightValue) => onChange({ rightValue })}
          />
        )}
      </Stack>
      {editable && (
        <ActionIcon onClick={onRemove} aria-label={`Remove condition ${number}`}>
          <IconTrash size={16} />
        </ActionIcon>
      )}
    </Group>
  );
}

function Side({
  label,
  value,
  editable,
  onChange,
}: {
  label: string;
  value: unknown;
  editable: boolean;
  onChange: (value: unknown) => void;
}) {
  const text = value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  return (
    <WithExpression
      field={{
        name: 'value',
        label,
        schema: {},
        required: false,
        value,
        onChange: (next) => onChange(next ?? ''),
        error: undefined,
      }}
      plain={
        <TextInput
          label={label}
          readOnly={!editable}
          value={text}
          onChange={(event) => {
            const next = event.currentTarget.value;
            onChange(typeof value === 'number' && next !== '' && String(Number(next)) === next ? Number(next) : next);
          }}
        />
      }
    />
  );
}
