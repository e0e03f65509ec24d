import { Stack } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import { FormContext, type RenderField } from './context';
import { Field } from './Field';
import { type Path, resolved, type Schema } from './schema';

/**
 * A form for a JSON Schema: controlled, without a button of its own. `errors` are by the server's paths (`ApiError.fields`,
 * or `validate(schema, value)`). `renderField` may put something around or in place of each input: the workflow editor's
 * expression mode. `only` limits it to some properties.
 */
export function SchemaForm({
  schema,
  value,
  onChange,
  errors = {},
  renderField,
  only,
  readOnly = false,
}: {
  schema: Schema;
  value: Record<string, unknown>;
  onChange: (value: Record<string, unknown>) => void;
  errors?: Readonly<Record<string, string>>;
  renderField?: RenderField;
  only?: (name: string) => boolean;
  readOnly?: boolean;
}) {
  const context = useMemo(
    () => ({ root: schema, errors, renderField, readOnly }),
    [schema, errors, renderField, readOnly],
  );
  const whole = resolved(schema, schema);
  return (
    <FormContext value={context}>
      <Properties
        schema={whole}
        path={[]}
        value={value}
        onChange={onChange as (value: Record<string, unknown>) => void}
        only={only}
      />
    </FormContext>
  );
}

/** The fields of an object, one below the other. */
export function Properties({
  schema,
  path,
  value,
  onChange,
  only = () => true,
}: {
  schema: Schema;
  path: Path;
  value: Record<string, unknown>;
  onChange: (value: Record<string, unknown>) => void;
  only?: ((name: string) => boolean) | undefined;
}): ReactNode {
  const fields = Object.entries(schema.properties ?? {}).filter(([name]) => only(name));
  return (
    <Stack gap="md">
      {fields.map(([name, property]) => (
        <Field
          key={name}
          name={name}
          schema={property}
          path={[...path, name]}
          required={schema.required?.includes(name) ?? false}
          value={value[name]}
          onChange={(next) => {
            const { [name]: _, ...others } = value;
            onChange(next === undefined ? others : { ...value, [name]: next });
          }}
        />
      ))}
    </Stack>
  );
}
