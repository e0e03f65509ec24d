import { NumberInput, PasswordInput, Select, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { type FieldInfo, useForm } from './context';
import { JsonField } from './JsonField';
import { ListField, MapField, ObjectField, VariantsField } from './nested';
import { choices, kindOf, labelOf, nullable, type Path, pathText, resolved, type Schema } from './schema';

interface Props {
  name: string;
  schema: Schema;
  path: Path;
  required?: boolean;
  value: unknown;
  onChange: (value: unknown) => void;
  label?: string;
}

/** One value of the form, with the input that its schema asks for. */
export function Field({ name, schema, path, required = false, value, onChange, label }: Props): ReactNode {
  const { root, errors, renderField } = useForm();
  const whole = resolved(schema, root);
  const kind = kindOf(whole, root);
  const field: FieldInfo = {
    name,
    path,
    // A title that comes with a reference names the type, not the field.
    label: label ?? labelOf(name, schema),
    kind,
    schema: whole,
    required,
    value: value === undefined ? whole.default : value,
    // An emptied field that may be null is null, or else it is left out, so that the default holds.
    onChange: (next) => onChange(next === undefined && nullable(schema) ? null : next),
    error: errors[pathText(path)],
  };
  if (kind === 'constant') return null;
  const input = <FieldInput {...field} />;
  return renderField ? renderField(field, input) : input;
}

function FieldInput(field: FieldInfo): ReactNode {
  const { readOnly } = useForm();
  const { kind, schema, label, required, error, value, onChange } = field;
  const common = { label, description: schema.description, required, error, readOnly };
  const written = typeof value === 'string' ? value : value === undefined || value === null ? '' : String(value);
  const write = (text: string) => onChange(text === '' && !required ? undefined : text);
  switch (kind) {
    case 'text':
      return <TextInput {...common} value={written} onChange={(event) => write(event.currentTarget.value)} />;
    case 'long':
      return (
        <Textarea
          {...common}
          autosize
          minRows={3}
          maxRows={16}
          value={written}
          onChange={(event) => write(event.currentTarget.value)}
        />
      );
    case 'secret':
      return (
        <PasswordInput
          {...common}
          autoComplete="new-password"
          value={written}
          onChange={(event) => write(event.currentTarget.value)}
        />
      );
    case 'number':
      return (
        <NumberInput
          {...common}
          value={typeof value === 'number' || typeof value === 'string' ? value : ''}
          allowDecimal={schema.type === 'number'}
          onChange={(next) => onChange(next === '' ? undefined : next)}
        />
      );
    case 'boolean':
      return (
        <Switch
          label={label}
          description={schema.description}
          error={error}
          disabled={readOnly}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    case 'choice':
      return <Choice {...field} />;
    case 'strings':
      return (
        <TagsInput
          {...common}
          value={Array.isArray(value) ? value.map(String) : []}
          onChange={onChange}
          splitChars={[]}
          placeholder="Type and press Enter"
        />
      );
    case 'object':
      return <ObjectField {...field} />;
    case 'map':
      return <MapField {...field} />;
    case 'list':
      return <ListField {...field} />;
    case 'variants':
      return <VariantsField {...field} />;
    default:
      return <JsonField {...field} />;
  }
}

/** Values of any type: the list works with their JSON, because its values are texts. */
function Choice({ schema, label, required, error, value, onChange }: FieldInfo) {
  const { readOnly } = useForm();
  const options = choices(schema);
  return (
    <Select
      label={label}
      description={schema.description}
      required={required}
      error={error}
      readOnly={readOnly}
      searchable={options.length > 8}
      clearable={!required}
      allowDeselect={false}
      data={options.map((option) => ({ value: JSON.stringify(option.value), label: option.label }))}
      value={value === undefined || value === null ? null : JSON.stringify(value)}
      onChange={(next) => onChange(next === null ? undefined : JSON.parse(next))}
    />
  );
}
