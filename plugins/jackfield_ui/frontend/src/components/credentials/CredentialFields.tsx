import { PasswordInput, Select, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import { t } from '../../language/messages';
import type { CredentialType, CredentialValues as Values } from './kinds';

type KindField = CredentialType['fields'][number];

/** The fields of a kind; all values are texts. Secrets are never filled in: the daemon does not give them. */
export function CredentialFields({
  kind,
  values,
  errors,
  onChange,
}: {
  kind: CredentialType;
  values: Values;
  /** By the server's paths: `values.name`. */
  errors: Readonly<Record<string, string>>;
  onChange: (values: Values) => void;
}) {
  return (
    <Stack gap="md">
      {kind.fields.map((field) => (
        <Input
          key={field.name}
          field={field}
          value={values[field.name] ?? ''}
          error={errors[`values.${field.name}`]}
          onChange={(value) => onChange({ ...values, [field.name]: value })}
        />
      ))}
      <TextInput
        label={t('Allowed hosts')}
        description={t(
          'Separated by commas, such as api.example.com, *.example.org. Jackfield sends it to no other host. Empty: to every host.',
        )}
        value={values.allowedHosts ?? ''}
        error={errors['values.allowedHosts']}
        onChange={(event) => onChange({ ...values, allowedHosts: event.currentTarget.value })}
      />
    </Stack>
  );
}

function Input({
  field,
  value,
  error,
  onChange,
}: {
  field: KindField;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}) {
  const { title, description, required, secret, type, choices, default: preset } = field;
  const common = { label: title, description: description || undefined, required: required && !preset, error, value };
  if (choices.length) {
    return <Select {...common} data={choices} allowDeselect={false} onChange={(next) => onChange(next ?? '')} />;
  }
  if (type === 'boolean') {
    return (
      <Switch
        label={title}
        description={description || undefined}
        error={error}
        checked={value === 'true'}
        onChange={(event) => onChange(String(event.currentTarget.checked))}
      />
    );
  }
  if (secret && type === 'text' && !/private|pem|json|key file/i.test(`${field.name} ${title}`)) {
    return (
      <PasswordInput
        {...common}
        autoComplete="new-password"
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  if (type === 'json' || secret) {
    return (
      <Textarea
        {...common}
        autosize
        minRows={3}
        maxRows={12}
        autoComplete="off"
        spellCheck={false}
        classNames={{ input: 'jf-mono' }}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  return (
    <TextInput
      {...common}
      inputMode={type === 'url' ? 'url' : undefined}
      autoComplete="off"
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
