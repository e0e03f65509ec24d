import { Input } from '@mantine/core';
import { useState } from 'react';
import { CodeEditor } from '../CodeEditor';
import { type FieldInfo, useForm } from './context';

/** For what no simpler input fits: any JSON. A text that is not JSON is kept while somebody types. */
export function JsonField({ schema, label, required, error, value, onChange }: FieldInfo) {
  const { readOnly } = useForm();
  const [text, setText] = useState(() => (value === undefined ? '' : JSON.stringify(value, null, 2)));
  const [problem, setProblem] = useState<string>();
  const take = (next: string) => {
    setText(next);
    try {
      onChange(next.trim() === '' ? undefined : JSON.parse(next));
      setProblem(undefined);
    } catch (failure) {
      setProblem(failure instanceof Error ? failure.message : String(failure));
    }
  };
  return (
    <Input.Wrapper label={label} description={schema.description} required={required} error={problem ?? error}>
      <CodeEditor label={label} language="json" value={text} onChange={take} minHeight={72} readOnly={readOnly} />
    </Input.Wrapper>
  );
}
