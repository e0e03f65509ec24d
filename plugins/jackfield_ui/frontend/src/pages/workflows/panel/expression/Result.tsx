import { Input, Text } from '@mantine/core';
import { t } from '../../../../language/messages';
import classes from '../panel.module.css';
import type { Preview } from './usePreview';

/** A few lines below a field. */
export function Result({ preview: { applies, busy, problem, value } }: { preview: Preview }) {
  if (!applies) return null;
  return (
    <div className={classes.result} data-bad={problem !== undefined || undefined} aria-live="polite" aria-busy={busy}>
      {problem !== undefined ? (
        <Input.Error>{problem.message}</Input.Error>
      ) : (
        <Text size="xs" className="jf-mono" lineClamp={4} style={{ overflowWrap: 'anywhere' }}>
          {value ? written(value.given) : ' '}
        </Text>
      )}
    </div>
  );
}

/** On one line. */
export function written(value: unknown): string {
  if (value === undefined || value === null) return 'nothing (null)';
  if (value === '') return t('an empty text');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
