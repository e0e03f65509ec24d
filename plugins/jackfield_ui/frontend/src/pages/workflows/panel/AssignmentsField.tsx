import { ActionIcon, Button, Fieldset, Group, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import type { DragEvent } from 'react';
import { isRecord } from '../../../api/errors';
import { type FieldInfo, useForm } from '../../../components/schema/context';
import { pathText } from '../../../components/schema/schema';
import { usePanel } from './context';
import { FIELD_DRAG, WithExpression } from './fields';

const TYPES = ['string', 'number', 'boolean', 'array', 'object'];

/** The fields that a Set node writes. A field of the input that is dropped here is taken over under its name. */
export function AssignmentsField({ label, path, value, onChange, error }: FieldInfo) {
  const { editable } = usePanel();
  const { errors } = useForm();
  const rows = (Array.isArray(value) ? value : []).map((row: unknown) => (isRecord(row) ? row : {}));
  const put = (index: number, part: Record<string, unknown>) =>
    onChange(rows.map((row, at) => (at === index ? { ...row, ...part } : row)));
  const add = (name = '', given: unknown = '') =>
    onChange([...rows, { id: crypto.randomUUID(), name, value: given, type: 'string' }]);
  const drop = (event: DragEvent) => {
    const dragged = event.dataTransfer.getData(FIELD_DRAG);
    if (!dragged || !editable) return;
    event.preventDefault();
    const name = /[.["]([^.["\]]+)["\]]*\s*\}\}$/.exec(dragged)?.[1] ?? '';
    add(name, `=${dragged}`);
  };
  return (
    <Fieldset
      legend={label}
      p="md"
      onDragOver={(event) => event.dataTransfer.types.includes(FIELD_DRAG) && event.preventDefault()}
      onDrop={drop}
    >
      <Stack gap="md">
        {rows.map((row, index) => (
          <Group key={String(row.id ?? index)} gap="xs" align="flex-start" wrap="nowrap">
            <Stack gap="xs" flex={1} miw={0}>
              <Group gap="xs" grow wrap="nowrap">
                <TextInput
                  aria-label={`Name of field ${index + 1}`}
                  placeholder="Name"
                  readOnly={!editable}
                  value={String(row.name ?? '')}
                  onChange={(event) => put(index, { name: event.currentTarget.value })}
                  error={errors[`${pathText(path)}.assignments[${index}].name`]}
                />
                <Select
                  aria-label={`Type of field ${index + 1}`}
                  data={TYPES}
                  readOnly={!editable}
                  allowDeselect={false}
                  value={typeof row.type === 'string' ? row.type : 'string'}
                  onChange={(type) => put(index, { type })}
                />
              </Group>
              <WithExpression
                field={{
                  name: 'value',
                  label: `Value of ${String(row.name || `field ${index + 1}`)}`,
                  schema: {},
                  required: false,
                  value: row.value,
                  onChange: (next) => put(index, { value: next ?? '' }),
                  error: undefined,
                }}
                plain={
                  <Textarea
                    label={`Value of ${String(row.name || `field ${index + 1}`)}`}
                    autosize
                    minRows={1}
                    maxRows={10}
                    readOnly={!editable}
                    value={plainText(row.value)}
                    onChange={(event) => put(index, { value: typed(event.currentTarget.value, row.type) })}
                  />
                }
              />
            </Stack>
            {editable && (
              <ActionIcon
                onClick={() => onChange(rows.filter((_, at) => at !== index))}
                aria-label={`Remove the field ${String(row.name || index + 1)}`}
              >
                <IconTrash size={16} />
              </ActionIcon>
            )}
          </Group>
        ))}
        {editable && (
          <Button
            variant="default"
            leftSection={<IconPlus size={16} aria-hidden="true" />}
            style={{ alignSelf: 'flex-start' }}
            onClick={() => add()}
          >
            Add a field
          </Button>
        )}
        {error}
      </Stack>
    </Fieldset>
  );
}

function plainText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** As n8n keeps it: numbers and truth values as such, lists and objects as their JSON text. */
function typed(text: string, type: unknown): unknown {
  if (type === 'number' && text !== '' && String(Number(text)) === text) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
