import { Stack } from '@mantine/core';
import { isRecord } from '../../../../api/errors';
import { t } from '../../../../language/messages';
import { FormFields } from '../FormFields';
import classes from '../form.module.css';
import type { FieldGroup, NodeField, Values } from '../model';
import { initialRow, isContainer, withKey } from '../values';
import { addLabel, singular } from './CollectionControl';
import { JsonControl } from './JsonControl';
import type { ControlProps } from './props';
import { AddButton, Frame, movesOf, Row } from './Rows';

/** n8n's fixed collections: an object, or a list of objects, under the name of each group. */
export function FixedCollectionControl({ field, path, value, onChange, error }: ControlProps) {
  const given: Values = isRecord(value) ? value : {};
  const groups = field.groups ?? [];
  const put = (name: string) => (next: unknown) => onChange(withKey(given, name, next));
  const others = Object.keys(given).filter((name) => !groups.some((group) => group.name === name));
  return (
    <Frame field={field} error={error}>
      {groups.map((group) => {
        const one = { field, group, path: [...path, group.name], value: given[group.name], onChange: put(group.name) };
        return field.multiple ? <Several key={group.name} {...one} /> : <Single key={group.name} {...one} />;
      })}
      {others.map((name) => (
        <JsonControl
          key={name}
          field={{ name, control: 'json', label: name, help: t('Not in this form. It is kept as it is.') }}
          path={[...path, name]}
          value={given[name]}
          onChange={put(name)}
          error={undefined}
        />
      ))}
    </Frame>
  );
}

interface GroupProps extends Omit<ControlProps, 'error'> {
  group: FieldGroup;
}

function Several({ field, group, path, value, onChange }: GroupProps) {
  const rows: readonly Values[] = Array.isArray(value) ? value : [];
  const fields = group.fields ?? [];
  const name = nameOf(field, group);
  return (
    <Stack gap="sm">
      {rows.map((row, index) => (
        <Row
          key={typeof row.id === 'string' ? row.id : index}
          title={`${name} ${index + 1}`}
          heading
          moves={movesOf(rows, index, onChange)}
        >
          <FormFields
            fields={fields}
            path={[...path, index]}
            value={row}
            onChange={(next) => onChange(rows.map((old, at) => (at === index ? next : old)))}
            className={isPair(fields) ? classes.pair : undefined}
          />
        </Row>
      ))}
      <AddButton label={addTo(field, group)} onClick={() => onChange([...rows, initialRow(fields)])} />
    </Stack>
  );
}

function Single({ field, group, path, value, onChange }: GroupProps) {
  const fields = group.fields ?? [];
  const name = nameOf(field, group);
  if (!isRecord(value)) return <AddButton label={addTo(field, group)} onClick={() => onChange(initialRow(fields))} />;
  return (
    <Row title={name} heading={name !== field.label} moves={{ remove: () => onChange(undefined) }}>
      <FormFields fields={fields} path={path} value={value} onChange={onChange} />
    </Row>
  );
}

/** Of several groups each says what it adds, also where the node gives words of its own. */
function addTo(field: NodeField, group: FieldGroup): string {
  const label = addLabel(field, nameOf(field, group));
  return field.options?.add && (field.groups ?? []).length > 1 ? `${label}: ${group.label}` : label;
}

/** Labels that say nothing of what is in a group. */
const GENERIC: ReadonlySet<string> = new Set(['value', 'entry', 'item', 'field']);

function nameOf(field: NodeField, group: FieldGroup): string {
  const name = singular(group.label);
  const plain = GENERIC.has(name.toLowerCase()) && (field.groups ?? []).length === 1;
  return plain || !name ? singular(field.label) : name;
}

/** Names with values stand beside each other. */
function isPair(fields: readonly NodeField[]): boolean {
  const visible = fields.filter(({ control }) => control !== 'hidden');
  const names = new Set(visible.map(({ name }) => name));
  return (
    names.size === 2 &&
    visible.every((field) => !isContainer(field) && !['textarea', 'code', 'json', 'notice'].includes(field.control))
  );
}
