import { Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { t } from '../../../language/messages';
import { FormContext, type FormState } from './context';
import { FormFields } from './FormFields';
import { formOf, type NodeForm, type Values, versionOf } from './model';
import { shownFields, withDefaults } from './showing';
import type { ListPlace } from './useOptions';

export interface NodeFormViewProps {
  forms: readonly NodeForm[];
  /** The document's `typeVersion`. */
  documentVersion: number | undefined;
  value: Values;
  onChange: (value: Values) => void;
  errors: Readonly<Record<string, string>>;
  editable: boolean;
  lists: ListPlace;
}

/** The form of a node, and below it what is wrong with parameters that it does not show. */
export function NodeFormView({ forms, documentVersion, value, onChange, errors, editable, lists }: NodeFormViewProps) {
  const form = formOf(forms, documentVersion);
  const fields = useMemo(() => form?.fields ?? [], [form]);
  const version = form ? versionOf(form, documentVersion) : 1;
  const top = useMemo(() => withDefaults(fields, value, value, version), [fields, value, version]);
  const shown = shownFields(fields, top, top, version).filter(({ control }) => control !== 'hidden');
  const labels = useMemo(() => new Map(fields.map(({ name, label }) => [name, label])), [fields]);
  const state: FormState = { version, top, labels, errors, editable, lists };
  const names = new Set(shown.map(({ name }) => name));
  const left = Object.entries(errors).filter(([path]) => !names.has(path.split(/[.[]/)[0] ?? ''));
  return (
    <FormContext value={state}>
      {shown.length === 0 && Object.keys(value).length === 0 && (
        <Text c="dimmed">{t('This node has no parameters.')}</Text>
      )}
      <FormFields fields={fields} path={[]} value={value} onChange={onChange} />
      {left.length > 0 && (
        <Stack gap="xs">
          {left.map(([path, message]) => (
            <Text key={path} size="sm" c="var(--jf-bad)">
              {path ? `${labels.get(path) ?? path}: ${message}` : message}
            </Text>
          ))}
        </Stack>
      )}
    </FormContext>
  );
}
