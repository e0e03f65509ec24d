import { Anchor, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { type Column, DataTable } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { Count, Duration, Money, RelativeTime } from '../../components/values';
import { IconArrowsDiff, IconChecklist } from '../../icons/drawn';
import { t } from '../../language/messages';
import { comparePath, type EvaluationRun, runPath } from './queries';
import { RunStatus, Score } from './scores';

/** The runs of an evaluation; two selected ones are compared, the older as the one before. */
export function Runs({
  name,
  runs,
  error,
  onRetry,
}: {
  name: string;
  runs: readonly EvaluationRun[] | undefined;
  error: unknown;
  onRetry: () => void;
}) {
  const navigate = useNavigate();
  const [selected, setSelected] = useState<Set<string>>(new Set());
  const [after, before] = (runs ?? []).filter(({ id }) => selected.has(id));
  return (
    <>
      {selected.size > 0 && (
        <Group gap="sm">
          <Button
            variant="default"
            leftSection={<IconArrowsDiff size={16} aria-hidden="true" />}
            disabled={selected.size !== 2}
            onClick={() => before && after && void navigate(comparePath(name, before.id, after.id))}
          >
            {t('Compare')}
          </Button>
          {selected.size !== 2 && (
            <Text size="sm" c="dimmed">
              {t('Select two runs.')}
            </Text>
          )}
        </Group>
      )}
      <DataTable
        label={t('Runs')}
        columns={COLUMNS}
        rows={runs}
        rowKey={({ id }) => id}
        rowName={({ number }) => t('run {number}', { number })}
        error={error}
        onRetry={onRetry}
        selection={{ selected, onChange: setSelected }}
        onOpen={(run) => void navigate(runPath(run))}
        empty={
          <EmptyState icon={IconChecklist} title={t('No runs yet')}>
            {t('A run takes each row of the data table through the workflow or the agent.')}
          </EmptyState>
        }
      />
    </>
  );
}

const COLUMNS: Column<EvaluationRun>[] = [
  {
    key: 'number',
    title: t('Run'),
    primary: true,
    render: (run) => (
      <Anchor component={Link} to={runPath(run)} onClick={(event) => event.stopPropagation()}>
        {run.label ? `${run.number}: ${run.label}` : `${run.number}`}
      </Anchor>
    ),
  },
  { key: 'status', title: t('Status'), width: 140, render: (run) => <RunStatus run={run} /> },
  { key: 'score', title: t('Score'), align: 'end', width: 90, render: ({ totals }) => <Score value={totals.score} /> },
  {
    key: 'passed',
    title: t('Passed'),
    align: 'end',
    width: 100,
    render: ({ totals }) => t('{passed} of {done}', { passed: totals.passed, done: totals.done }),
  },
  {
    key: 'versions',
    title: t('Versions'),
    width: 150,
    render: ({ version, workflowVersion }) =>
      workflowVersion ? t('{version}, workflow {workflowVersion}', { version, workflowVersion }) : `${version}`,
  },
  {
    key: 'tokens',
    title: t('Tokens'),
    align: 'end',
    width: 100,
    render: ({ totals }) => <Count value={totals.tokensIn + totals.tokensOut} short />,
  },
  { key: 'cost', title: t('Cost'), align: 'end', width: 90, render: ({ totals }) => <Money value={totals.cost} /> },
  {
    key: 'time',
    title: t('Time'),
    align: 'end',
    width: 90,
    render: ({ totals }) => <Duration ms={totals.durationMs} />,
  },
  { key: 'started', title: t('Started'), width: 130, render: ({ createdAt }) => <RelativeTime time={createdAt} /> },
];
