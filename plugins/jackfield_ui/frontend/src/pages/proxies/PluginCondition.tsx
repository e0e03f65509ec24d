import { Textarea } from '@mantine/core';
import { useState } from 'react';
import { isRecord, messageOf } from '../../api/errors';
import type { Condition } from './model';

/** What a plugin's condition asks for, only the plugin knows: its fields as JSON. */
export function PluginCondition({
  condition,
  error,
  onChange,
}: {
  condition: Condition;
  error: string | undefined;
  onChange: (condition: Condition) => void;
}) {
  const { type, ...fields } = condition;
  const [text, setText] = useState(() => JSON.stringify(fields, null, 2));
  const [problem, setProblem] = useState<string>();
  const take = (next: string) => {
    setText(next);
    try {
      const given: unknown = JSON.parse(next);
      if (!isRecord(given)) throw new Error('Give an object: { ... }');
      setProblem(undefined);
      onChange({ ...given, type });
    } catch (failure) {
      setProblem(messageOf(failure));
    }
  };
  return (
    <Textarea
      label="Its fields, as JSON"
      classNames={{ input: 'jf-mono' }}
      autosize
      minRows={2}
      maxRows={12}
      miw={240}
      value={text}
      error={problem ?? Boolean(error)}
      onChange={(event) => take(event.currentTarget.value)}
    />
  );
}
