import { Anchor, Text, Title } from '@mantine/core';
import { useMemo } from 'react';
import { Link } from 'react-router';
import { segment } from '../../api/client';
import { areaPath } from '../../app/areas';
import { type Column, DataTable } from '../../components/DataTable';
import { percent } from '../../components/format';
import { Count, Duration } from '../../components/values';
import { t } from '../../language/messages';
import type { Period } from './model';
import { failing, type Insights, minutes, type SlowNode, type WorkflowSums } from './model';
import { useSlowNodes } from './queries';

function Workflow({ id, name }: { id: string; name: string | null }) {
  if (!name) {
    return (
      <Text c="dimmed" span>
        {id ? t('Deleted workflow') : t('Not saved')}
      </Text>
    );
  }
  return (
    <Anchor component={Link} to={`${areaPath('workflows')}/${segment(id)}`} c="inherit" inherit>
      {name}
    </Anchor>
  );
}

const WORKFLOWS: Column<WorkflowSums>[] = [
  {
    key: 'name',
    title: t('Workflow'),
    primary: true,
    sort: (row) => row.name ?? '',
    render: (row) => <Workflow id={row.workflowId} name={row.name} />,
  },
  {
    key: 'total',
    title: t('Executions'),
    align: 'end',
    sort: (row) => row.total,
    render: (row) => <Count value={row.total} />,
  },
  {
    key: 'failed',
    title: t('Failed'),
    align: 'end',
    sort: (row) => row.failed,
    render: (row) => <Count value={row.failed} />,
  },
  {
    key: 'rate',
    title: t('Failure rate'),
    align: 'end',
    sort: (row) => row.failureRate,
    render: (row) => percent(row.failureRate),
  },
  {
    key: 'took',
    title: t('Run time'),
    align: 'end',
    sort: (row) => row.averageRunTimeMs,
    render: (row) => <Duration ms={row.averageRunTimeMs} />,
  },
  {
    key: 'saved',
    title: t('Time saved'),
    align: 'end',
    sort: (row) => row.timeSavedMinutes,
    render: (row) => (row.timeSavedMinutes ? <Duration ms={minutes(row.timeSavedMinutes)} /> : '–'),
  },
];

/** All workflows of the period, those that ran most first. */
export function Workflows({ insights }: { insights: Insights | undefined }) {
  return (
    <section>
      <Title order={2} mb="sm">
        {t('By workflow')}
      </Title>
      <DataTable
        label={t('By workflow')}
        columns={WORKFLOWS}
        rows={insights?.workflows}
        rowKey={(row) => row.workflowId}
        initialSort={{ key: 'total', descending: true }}
        empty={<Nothing />}
      />
    </section>
  );
}

/** Only where something has failed. */
export function Failing({ insights }: { insights: Insights | undefined }) {
  const rows = useMemo(() => failing(insights?.workflows ?? []).slice(0, 5), [insights]);
  if (rows.length === 0) return null;
  return (
    <section>
      <Title order={2} mb="sm">
        {t('Most failures')}
      </Title>
      <DataTable label={t('Most failures')} columns={WORKFLOWS} rows={rows} rowKey={(row) => row.workflowId} />
    </section>
  );
}

const NODES: Column<SlowNode>[] = [
  { key: 'node', title: t('Node'), primary: true, sort: (row) => row.node, render: (row) => row.node },
  {
    key: 'workflow',
    title: t('Workflow'),
    sort: (row) => row.workflowName ?? '',
    render: (row) => <Workflow id={row.workflowId} name={row.workflowName} />,
  },
  { key: 'runs', title: t('Runs'), align: 'end', sort: (row) => row.runs, render: (row) => <Count value={row.runs} /> },
  {
    key: 'failed',
    title: t('Failed'),
    align: 'end',
    sort: (row) => row.failed,
    render: (row) => <Count value={row.failed} />,
  },
  {
    key: 'p50',
    title: t('Half within'),
    align: 'end',
    sort: (row) => row.p50Ms,
    render: (row) => <Duration ms={row.p50Ms} />,
  },
  {
    key: 'p95',
    title: t('95% within'),
    align: 'end',
    sort: (row) => row.p95Ms,
    render: (row) => <Duration ms={row.p95Ms} />,
  },
];

/** By what the newest executions in the history tell. */
export function SlowNodes({ period }: { period: Period }) {
  const nodes = useSlowNodes(period);
  return (
    <section>
      <Title order={2} mb={4}>
        {t('Slowest nodes')}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {nodes.data
          ? t('By the newest {executions} executions in the history.', { executions: nodes.data.executions })
          : ' '}
      </Text>
      <DataTable
        label={t('Slowest nodes')}
        columns={NODES}
        rows={nodes.data?.data}
        rowKey={(row) => `${row.workflowId} ${row.node}`}
        error={nodes.error}
        onRetry={() => void nodes.refetch()}
        initialSort={{ key: 'p95', descending: true }}
        empty={<Nothing />}
      />
    </section>
  );
}

function Nothing() {
  return (
    <Text c="dimmed" p="md">
      {t('No execution has ended in this period.')}
    </Text>
  );
}
