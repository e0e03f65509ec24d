import { Textarea } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../language/messages';
import type { Condition } from './model';
import { problemOf, textOf, withText } from './pluginFields';

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
  // As it was typed: what is understood may be written in many ways.
  const [typed, setTyped] = useState(() => textOf(condition));
  return (
    <Textarea
      label={t('Its fields, as JSON')}
      classNames={{ input: 'jf-mono' }}
      autosize
      minRows={2}
      maxRows={12}
      miw={240}
      value={typed}
      error={problemOf(condition) ?? Boolean(error)}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        onChange(withText(condition, value));
      }}
    />
  );
}
