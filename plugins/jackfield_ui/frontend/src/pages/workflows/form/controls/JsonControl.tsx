import { Input } from '@mantine/core';
import { useState } from 'react';
import { CodeEditor } from '../../../../components/CodeEditor';
import { useFormState, useTyped } from '../context';
import { emptied } from '../values';
import { helpOf } from './help';
import type { ControlProps } from './props';

/**
 * JSON, or whatever no other control can show. A document's JSON text stays a text, everything else is kept as the value
 * that it is; what is not JSON yet is kept while somebody types.
 */
export function JsonControl({ field, value, onChange, error }: ControlProps) {
  const { editable } = useFormState();
  const typed = useTyped();
  const plain = field.control === 'json' && isText(field, value);
  const [draft, setDraft] = useState<{ text: string; of: unknown }>();
  const [problem, setProblem] = useState<string>();
  const text = draft && Object.is(draft.of, value) ? draft.text : plain ? String(value ?? '') : written(value);
  const take = (next: string) => {
    if (next === text || typed(next, null)) return;
    if (plain) {
      onChange(next === '' ? emptied(field) : next);
      return;
    }
    try {
      const parsed = next.trim() === '' ? undefined : (JSON.parse(next) as unknown);
      setDraft({ text: next, of: parsed });
      setProblem(undefined);
      onChange(parsed);
    } catch (failure) {
      setDraft({ text: next, of: value });
      setProblem(failure instanceof Error ? failure.message : String(failure));
    }
  };
  return (
    <Input.Wrapper
      label={field.label}
      labelElement="div"
      description={helpOf(field)}
      withAsterisk={field.required === true}
      error={problem ?? error}
    >
      <CodeEditor
        label={field.label}
        language="json"
        value={text}
        onChange={take}
        minHeight={72}
        placeholder={field.placeholder || undefined}
        readOnly={!editable}
      />
    </Input.Wrapper>
  );
}

function isText({ default: given, options }: ControlProps['field'], value: unknown): boolean {
  if (value === undefined || value === null) return typeof given === 'string' || options?.text === true;
  return typeof value === 'string';
}

function written(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value, null, 2);
}
