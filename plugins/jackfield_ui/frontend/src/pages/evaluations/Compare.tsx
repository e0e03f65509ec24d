import { Alert, Group, Skeleton, Stack, Switch, Text } from '@mantine/core';
import { useState } from 'react';
import { useParams } from 'react-router';
import { areaPath } from '../../app/areas';
import { type Column, DataTable } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { Failure } from '../../components/Failure';
import { Page } from '../../components/Page';
import { StatusBadge, type Tone } from '../../components/StatusBadge';
import { t } from '../../language/messages';
import { brief } from './brief';
import { type ComparedRow, evaluationPath, useComparison } from './queries';
import { Score, scoreText } from './scores';

type Change = ComparedRow['change'];
const LABELS: Record<Change, string> = {
  better: t('Better'),
  worse: t('Worse'),
  same: t('Same'),
  new: t('New'),
  gone: t('Gone'),
};
const TONES: Record<Change, Tone> = { better: 'good', worse: 'bad', same: 'still', new: 'busy', gone: 'warn' };
const CHANGES: readonly Change[] = ['better', 'worse', 'same', 'new', 'gone'];

/** Two runs, row by row. */
export default function Compare() {
  const { name = '', before = '', after = '' } = useParams();
  const [only, setOnly] = useState(true);
  const found = useComparison(before, after);
  const both = found.data;
  const shown = both?.rows.filter(({ change }) => !only || change !== 'same');
  return (
    <Page
      title={
        both
          ? t('Runs {before} and {after}', { before: both.before.number, after: both.after.number })
          : t('Compare runs')
      }
      subtitle={t('Each row in the earlier run and in the later one.')}
      crumbs={[
        { label: t('Evaluations'), to: areaPath('evaluations') },
        { label: name, to: evaluationPath(name) },
      ]}
    >
      {found.error && !both ? (
        <Failure error={found.error} onRetry={() => void found.refetch()} />
      ) : both ? (
        <Stack>
          <Text>
            {t('Score {before} before, {after} after.', {
              before: scoreText(both.before.totals.score),
              after: scoreText(both.after.totals.score),
            })}
          </Text>
          <Group gap="md">
            {CHANGES.filter((change) => both.counts[change]).map((change) => (
              <StatusBadge
                key={change}
                status={change}
                tone={TONES[change]}
                label={`${LABELS[change]}: ${both.counts[change]}`}
              />
            ))}
          </Group>
          {both.definitionChanged && (
            <Alert color="yellow" role="status">
              {t('The definition of the evaluation has changed between these runs.')}
            </Alert>
          )}
          <Switch
            label={t('Changed rows only')}
            checked={only}
            onChange={(event) => setOnly(event.currentTarget.checked)}
          />
          <DataTable
            label={t('Compared rows')}
            columns={COLUMNS}
            rows={shown}
            rowKey={({ rowId }) => String(rowId)}
            empty={<EmptyState title={t('No row’s score has changed')} />}
          />
        </Stack>
      ) : (
        <Skeleton height={320} aria-busy="true" />
      )}
    </Page>
  );
}

const COLUMNS: Column<ComparedRow>[] = [
  { key: 'row', title: t('Row'), primary: true, width: 80, render: ({ rowId }) => rowId },
  {
    key: 'change',
    title: t('Change'),
    width: 120,
    render: ({ change }) => <StatusBadge status={change} tone={TONES[change]} label={LABELS[change]} />,
  },
  {
    key: 'before',
    title: t('Score before'),
    align: 'end',
    width: 120,
    render: ({ before }) => <Score value={before?.score} />,
  },
  {
    key: 'after',
    title: t('Score after'),
    align: 'end',
    width: 120,
    render: ({ after }) => <Score value={after?.score} />,
  },
  { key: 'outputBefore', title: t('Output before'), render: ({ before }) => brief(before?.problem || before?.output) },
  { key: 'outputAfter', title: t('Output after'), render: ({ after }) => brief(after?.problem || after?.output) },
];
