import { Text } from '@mantine/core';
import { decimal } from '../../components/format';
import { StatusBadge } from '../../components/StatusBadge';
import { t } from '../../language/messages';
import type { EvaluationRun } from './queries';

const DIGITS = 3;

export const scoreText = (score: number | null | undefined) =>
  score === null || score === undefined ? '–' : decimal(score, DIGITS);

/** A score from 0 to 1. */
export function Score({ value }: { value: number | null | undefined }) {
  return (
    <Text span className="jf-nowrap" inherit>
      {scoreText(value)}
    </Text>
  );
}

const TONES = { running: 'busy', finished: 'good', stopped: 'warn', cancelled: 'still', failed: 'bad' } as const;

export function RunStatus({ run: { status, totals } }: { run: EvaluationRun }) {
  if (status !== 'running') return <StatusBadge status={status} tone={TONES[status]} />;
  return (
    <StatusBadge status={status} tone="busy" label={t('{done} of {rows}', { done: totals.done, rows: totals.rows })} />
  );
}
