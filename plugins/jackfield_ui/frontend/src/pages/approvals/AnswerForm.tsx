import { Anchor, Button, Checkbox, Group, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ApiError } from '../../api/errors';
import type { Approval } from '../../app/approvals';
import { useMay } from '../../app/session';
import { t } from '../../language/messages';
import classes from './approvals.module.css';
import { useAnswer } from './useAnswer';

type Field = Approval['fields'][number];
type Value = string | string[];

const TYPES: Record<string, string> = { number: 'number', date: 'date', email: 'email', password: 'password' };

/** The fields of a form. One with files is filled in on its own page. */
export function AnswerForm({ approval }: { approval: Approval }) {
  const answer = useAnswer(approval);
  const writes = useMay('member');
  const asked = approval.fields.filter(({ kind }) => kind !== 'html' && kind !== 'hidden');
  const [values, setValues] = useState<Record<string, Value>>(() =>
    Object.fromEntries(asked.map(({ key, default: given, several }) => [key, several ? [] : given])),
  );
  if (!writes) return null;
  if (asked.some(({ kind }) => kind === 'file')) {
    return (
      <Text mt="sm">
        {approval.url ? <Anchor href={approval.url}>{t('Open the page of this form')}</Anchor> : t('It accepts files.')}
      </Text>
    );
  }
  const mistakes = answer.error instanceof ApiError ? answer.error.fields : {};
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        answer.mutate({ fields: values });
      }}
    >
      <Stack gap="sm" mt="sm">
        {asked.map((field) => (
          <Input
            key={field.key}
            field={field}
            value={values[field.key] ?? ''}
            error={mistakes[`fields.${field.key}`]}
            onChange={(value) => setValues((all) => ({ ...all, [field.key]: value }))}
          />
        ))}
      </Stack>
      <div className={classes.answers}>
        <Button type="submit" size="md" loading={answer.isPending}>
          {t('Send')}
        </Button>
      </div>
    </form>
  );
}

function Input({
  field: { key, label, kind, required, options, several, placeholder },
  value,
  error,
  onChange,
}: {
  field: Field;
  value: Value;
  error: string | undefined;
  onChange: (value: Value) => void;
}) {
  const common = { label: label || key, error, withAsterisk: required };
  if (several) {
    return (
      <Checkbox.Group {...common} value={Array.isArray(value) ? value : []} onChange={onChange}>
        <Group mt="xs">
          {options.map((option) => (
            <Checkbox key={option} value={option} label={option} />
          ))}
        </Group>
      </Checkbox.Group>
    );
  }
  const text = Array.isArray(value) ? '' : value;
  if (options.length > 0) {
    return <Select {...common} data={options} value={text || null} onChange={(chosen) => onChange(chosen ?? '')} />;
  }
  const given = {
    ...common,
    placeholder,
    autoComplete: 'off',
    value: text,
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
  };
  return kind === 'textarea' ? (
    <Textarea {...given} autosize minRows={3} />
  ) : (
    <TextInput {...given} type={TYPES[kind] ?? 'text'} />
  );
}
