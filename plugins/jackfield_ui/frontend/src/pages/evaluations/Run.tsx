import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useParams } from 'react-router';
import { api, body } from '../../api/client';
import { usePaged } from '../../api/paging';
import { areaPath } from '../../app/areas';
import { useMay } from '../../app/session';
import { type Column, DataTable } from '../../components/DataTable';
import { Failure } from '../../components/Failure';
import { count, duration, money } from '../../components/format';
import { notifyError } from '../../components/notify';
import { Page } from '../../components/Page';
import { StatusBadge } from '../../components/StatusBadge';
import { Count, Duration, Money } from '../../components/values';
import { IconBan } from '../../icons/drawn';
import { t } from '../../language/messages';
import { brief } from './brief';
import {
  cancelRun,
  type EvaluatedRow,
  type EvaluationRun,
  evaluationPath,
  KEY,
  useEvaluationEvents,
  useEvaluationRun,
} from './queries';
import { RowDetail } from './RowDetail';
import { RunStatus, Score, scoreText } from './scores';

const PER_PAGE = 100;

export default function Run() {
  const { name = '', run: id = '' } = useParams();
  const may = useMay('member');
  const found = useEvaluationRun(id);
  const [opened, setOpened] = useState<EvaluatedRow>();
  const list = usePaged(
    [...KEY, 'rows', id],
    (page, signal) =>
      body(api.GET('/api/v1/evaluation-runs/{run_id}/rows', { params: { path: { run_id: id }, query: page }, signal })),
    PER_PAGE,
  );
  useEvaluationEvents();
  const run = found.data;
  const crumbs = [
    { label: t('Evaluations'), to: areaPath('evaluations') },
    { label: name, to: evaluationPath(name) },
  ];
  if (found.error && !run) {
    return (
      <Page title={t('Run')} crumbs={crumbs}>
        <Failure error={found.error} onRetry={() => void found.refetch()} />
      </Page>
    );
  }
  const cancel = may && run?.status === 'running' && (
    <Button
      variant="default"
      leftSection={<IconBan size={16} aria-hidden="true" />}
      onClick={() => void cancelRun(id).catch(notifyError)}
    >
      {t('Cancel')}
    </Button>
  );
  return (
    <Page
      title={run ? t('Run {number} of {name}', { number: run.number, name }) : t('Run')}
      crumbs={crumbs}
      badge={run && <RunStatus run={run} />}
      subtitle={run && <Facts run={run} />}
      actions={cancel}
    >
      <Stack>
        {run?.problem && (
          <Alert color="yellow" role="status">
            {run.problem}
          </Alert>
        )}
        <DataTable
          label={t('Rows')}
          columns={COLUMNS}
          rows={list.rows}
          rowKey={({ rowId }) => String(rowId)}
          error={list.error}
          onRetry={() => void list.refetch()}
          paging={list.paging}
          onOpen={setOpened}
        />
      </Stack>
      {opened && <RowDetail row={opened} onClose={() => setOpened(undefined)} />}
    </Page>
  );
}

function Facts({ run: { totals, version, workflowVersion } }: { run: EvaluationRun }) {
  const facts = [
    t('Score {score}', { score: scoreText(totals.score) }),
    t('{passed} of {done} passed', { passed: totals.passed, done: totals.done }),
    t('{tokensIn} tokens', { tokensIn: count(totals.tokensIn + totals.tokensOut) }),
    money(totals.cost),
    duration(totals.durationMs),
    t('Version {version}', { version }),
    ...(workflowVersion ? [t('Workflow version {workflowVersion}', { workflowVersion })] : []),
    ...Object.entries(totals.scores).map(([scorer, score]) => `${scorer} ${scoreText(score)}`),
    ...Object.entries(totals.metrics).map(([metric, mean]) => `${metric} ${scoreText(mean)}`),
  ];
  return (
    <Group gap="md" component="span">
      {facts.map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
    </Group>
  );
}

function Value({ value }: { value: unknown }) {
  return (
    <Text size="sm" lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
      {brief(value)}
    </Text>
  );
}

function RowStatus({ row }: { row: EvaluatedRow }) {
  if (row.status === 'running') return <StatusBadge status="running" />;
  if (row.status === 'failed') return <StatusBadge status="failed" />;
  return row.passed ? (
    <StatusBadge status="passed" label={t('Passed')} tone="good" />
  ) : (
    <StatusBadge status="below" label={t('Below')} tone="warn" />
  );
}

const COLUMNS: Column<EvaluatedRow>[] = [
  {
    key: 'row',
    title: t('Row'),
    primary: true,
    width: 80,
    render: ({ rowId }) => rowId,
  },
  { key: 'status', title: t('Result'), width: 120, render: (row) => <RowStatus row={row} /> },
  { key: 'score', title: t('Score'), align: 'end', width: 90, render: ({ score }) => <Score value={score} /> },
  { key: 'input', title: t('Input'), render: ({ input }) => <Value value={input} /> },
  { key: 'expected', title: t('Expected'), render: ({ expected }) => <Value value={expected} /> },
  {
    key: 'output',
    title: t('Output'),
    render: ({ output, problem }) => <Value value={problem || output} />,
  },
  {
    key: 'tokens',
    title: t('Tokens'),
    align: 'end',
    width: 90,
    render: ({ tokensIn, tokensOut }) => <Count value={tokensIn + tokensOut} short />,
  },
  { key: 'cost', title: t('Cost'), align: 'end', width: 90, render: ({ cost }) => <Money value={cost} /> },
  { key: 'time', title: t('Time'), align: 'end', width: 90, render: ({ durationMs }) => <Duration ms={durationMs} /> },
];
