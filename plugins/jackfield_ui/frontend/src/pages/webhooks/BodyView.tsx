import { Text } from '@mantine/core';
import { useMemo } from 'react';
import { JsonView } from '../../components/JsonView';
import { t } from '../../language/messages';
import classes from './webhooks.module.css';

/** A body as a tree if it is JSON, else as the text that it is. */
export function BodyView({ text, label, cut }: { text: string; label: string; cut: boolean }) {
  const json = useMemo(() => parsed(text), [text]);
  if (!text) return <Text c="dimmed">{t('Empty.')}</Text>;
  return (
    <>
      {json === undefined ? (
        <pre className={classes.text} tabIndex={0}>
          {text}
        </pre>
      ) : (
        <JsonView value={json} label={label} depth={3} maxHeight={320} />
      )}
      {cut && (
        <Text size="xs" c="dimmed" mt="xs">
          {t('The body was longer. Jackfield keeps this part.')}
        </Text>
      )}
    </>
  );
}

/** Only objects and lists: a text that happens to be a number is shown as it came. */
function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
