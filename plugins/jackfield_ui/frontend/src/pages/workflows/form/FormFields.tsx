import { Stack } from '@mantine/core';
import { t } from '../../../language/messages';
import { useFormState } from './context';
import { JsonControl } from './controls/JsonControl';
import { FieldView } from './FieldView';
import type { NodeField, Path, Values } from './model';
import { shownFields, withDefaults } from './showing';
import { withKey } from './values';

/** The fields of one level that are shown now, and the values that no field names. */
export function FormFields({
  fields,
  path,
  value,
  onChange,
  only,
  className,
}: {
  fields: readonly NodeField[];
  path: Path;
  value: Values;
  onChange: (value: Values) => void;
  /** Limits it to some of the fields. */
  only?: (field: NodeField) => boolean;
  className?: string | undefined;
}) {
  const { top, version } = useFormState();
  const shown = shownFields(fields, withDefaults(fields, value, top, version), top, version);
  const visible = shown.filter((field) => field.control !== 'hidden' && (only?.(field) ?? true));
  return (
    <Stack gap="md" className={className}>
      {visible.map((field) => (
        <FieldView
          key={`${field.name} ${field.control}`}
          field={field}
          path={[...path, field.name]}
          value={value[field.name]}
          onChange={(next) => onChange(withKey(value, field.name, next))}
        />
      ))}
      <Kept fields={fields} path={path} value={value} onChange={onChange} />
    </Stack>
  );
}

/** Values of other versions and other programs: they stay, and whoever wants may change them. Empty ones show nothing. */
function Kept({
  fields,
  path,
  value,
  onChange,
}: {
  fields: readonly NodeField[];
  path: Path;
  value: Values;
  onChange: (value: Values) => void;
}) {
  const named = new Set(fields.map(({ name }) => name));
  const kept = Object.keys(value).filter((name) => !named.has(name) && !isEmpty(value[name]));
  return kept.map((name) => (
    <JsonControl
      key={name}
      field={{ name, control: 'json', label: name, help: t('Not in this form. It is kept as it is.') }}
      path={[...path, name]}
      value={value[name]}
      onChange={(next) => onChange(withKey(value, name, next))}
      error={undefined}
    />
  ));
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === '';
}
