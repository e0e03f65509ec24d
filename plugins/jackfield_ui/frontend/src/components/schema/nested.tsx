import { ActionIcon, Button, Fieldset, Group, Input, Select, Stack, Text } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { isRecord } from '../../api/errors';
import { KeyValueEditor, type Pair } from '../KeyValueEditor';
import { type FieldInfo, useForm } from './context';
import { Field } from './Field';
import { Properties } from './SchemaForm';
import { initial, labelOf, resolved, type Schema, variantOf } from './schema';

/** Options that are seldom needed stay closed until somebody wants them; then all of them are shown. */
export function ObjectField({ schema, path, label, value, onChange }: FieldInfo) {
  const given = isRecord(value) ? value : {};
  const [opened, setOpened] = useState(Object.keys(given).length > 0 || path.length < 2);
  return (
    <Fieldset legend={label} p="md">
      {schema.description && (
        <Text size="xs" c="dimmed" mb="sm">
          {schema.description}
        </Text>
      )}
      {opened ? (
        <Properties schema={schema} path={path} value={given} onChange={onChange} />
      ) : (
        <Button variant="default" onClick={() => setOpened(true)}>
          Set {label.toLowerCase()}
        </Button>
      )}
    </Fieldset>
  );
}

export function ListField({ schema, path, label, value, onChange, error }: FieldInfo) {
  const { root, readOnly } = useForm();
  const items = schema.items ?? {};
  const list = Array.isArray(value) ? value : [];
  const move = (from: number, to: number) => {
    const next = [...list];
    next.splice(to, 0, ...next.splice(from, 1));
    onChange(next);
  };
  return (
    <Fieldset legend={label} p="md">
      <Stack gap="sm">
        {schema.description && (
          <Text size="xs" c="dimmed">
            {schema.description}
          </Text>
        )}
        {list.map((item, index) => (
          <Group key={index} gap="xs" wrap="nowrap" align="flex-start">
            <div style={{ flex: 1, minWidth: 0 }}>
              <Field
                name={String(index)}
                label={`${index + 1}`}
                schema={items}
                path={[...path, index]}
                value={item}
                onChange={(next) => onChange(list.map((old, at) => (at === index ? next : old)))}
              />
            </div>
            {!readOnly && (
              <Stack gap={0}>
                <ActionIcon
                  disabled={index === 0}
                  onClick={() => move(index, index - 1)}
                  aria-label={`Move ${index + 1} up`}
                >
                  <IconArrowUp size={16} />
                </ActionIcon>
                <ActionIcon
                  disabled={index === list.length - 1}
                  onClick={() => move(index, index + 1)}
                  aria-label={`Move ${index + 1} down`}
                >
                  <IconArrowDown size={16} />
                </ActionIcon>
                <ActionIcon
                  onClick={() => onChange(list.filter((_, at) => at !== index))}
                  aria-label={`Remove ${index + 1}`}
                >
                  <IconTrash size={16} />
                </ActionIcon>
              </Stack>
            )}
          </Group>
        ))}
        {error && <Input.Error>{error}</Input.Error>}
        {!readOnly && (
          <Button
            variant="default"
            leftSection={<IconPlus size={16} />}
            style={{ alignSelf: 'flex-start' }}
            onClick={() =>
              onChange([...list, initial(items, root) ?? (resolved(items, root).type === 'string' ? '' : null)])
            }
          >
            Add
          </Button>
        )}
      </Stack>
    </Fieldset>
  );
}

/** A map of texts. The rows are kept beside it, because two rows may have the same name while somebody types. */
export function MapField({ schema, label, value, onChange }: FieldInfo) {
  const { readOnly } = useForm();
  const given = isRecord(value) ? value : {};
  const [rows, setRows] = useState<Pair[]>(() =>
    Object.entries(given).map(([key, text]) => ({ key, value: String(text) })),
  );
  return (
    <KeyValueEditor
      label={label}
      {...(schema.description ? { description: schema.description } : {})}
      pairs={rows}
      readOnly={readOnly}
      onChange={(next) => {
        setRows(next);
        onChange(Object.fromEntries(next.filter(({ key }) => key).map(({ key, value: text }) => [key, text])));
      }}
    />
  );
}

export function VariantsField(field: FieldInfo) {
  const { root, readOnly } = useForm();
  const { schema, path, label, value, onChange, error, required } = field;
  const variants = schema.oneOf ?? schema.anyOf ?? [];
  const chosen = variantOf(variants, value, root);
  const variant = variants[chosen];
  return (
    <Fieldset legend={label} p="md">
      <Stack gap="sm">
        <Select
          label="Kind"
          description={schema.description}
          error={error}
          readOnly={readOnly}
          allowDeselect={false}
          data={variants.map((one, index) => ({ value: String(index), label: variantName(one, index, root) }))}
          value={String(chosen)}
          onChange={(next) => {
            const other = variants[Number(next)];
            if (other && Number(next) !== chosen) onChange(initial(other, root));
          }}
        />
        {variant && resolved(variant, root).type !== 'null' && (
          <VariantBody variant={resolved(variant, root)} {...{ path, value, onChange, required }} />
        )}
      </Stack>
    </Fieldset>
  );
}

function VariantBody({
  variant,
  path,
  value,
  onChange,
  required,
}: Pick<FieldInfo, 'path' | 'value' | 'onChange' | 'required'> & { variant: Schema }) {
  if (variant.properties) {
    return <Properties schema={variant} path={path} value={isRecord(value) ? value : {}} onChange={onChange} />;
  }
  return <Field name="value" label="Value" schema={variant} {...{ path, value, onChange, required }} />;
}

function variantName(schema: Schema, index: number, root: Schema): string {
  const whole = resolved(schema, root);
  const constants = Object.values(whole.properties ?? {}).flatMap((one) => ('const' in one ? [String(one.const)] : []));
  if (constants.length) return constants.join(', ');
  return whole.title
    ? labelOf(whole.title, {})
    : typeof whole.type === 'string'
      ? labelOf(whole.type, {})
      : `${index + 1}`;
}
