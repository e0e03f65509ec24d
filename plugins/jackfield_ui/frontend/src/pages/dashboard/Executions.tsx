import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { useMemo } from 'react';
import { Link, useNavigate } from 'react-router';
import { segment } from '../../api/client';
import type { ExecutionRow } from '../../api/types';
import { areaPath } from '../../app/areas';
import { hasArea } from '../../app/pages';
import { type Column, DataTable } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { StatusBadge } from '../../components/StatusBadge';
import { Duration, RelativeTime } from '../../components/values';
import { IconActivity } from '../../icons/drawn';
import { t } from '../../language/messages';
import { useExecutions, useWorkflowNames } from './queries';

/** What failed lately, and below it what ran lately. */
export function Executions() {
  const failures = useExecutions({ status: 'failed' }, 5);
  const latest = useExecutions({}, 8);
  const names = useWorkflowNames();
  const navigate = useNavigate();
  const linked = hasArea('executions');
  const columns = useMemo(() => {
    const known = new Map(names.data?.data.map(({ id, name }) => [id, name]));
    return executionColumns(known, linked);
  }, [names.data, linked]);
  const open = linked ? (row: ExecutionRow) => void navigate(address(row)) : undefined;

  return (
    <Stack gap="lg">
      {failures.data && failures.data.data.length > 0 && (
        <section>
          <Title order={2} mb="sm">
            {t('Recent failures')}
          </Title>
          <DataTable
            label={t('Recent failures')}
            columns={columns}
            rows={failures.data.data}
            rowKey={idOf}
            onOpen={open}
          />
        </section>
      )}
      <section>
        <Group justify="space-between" mb="sm">
          <Title order={2}>{t('Latest executions')}</Title>
          {linked && (
            <Anchor component={Link} to={areaPath('executions')} size="sm">
              {t('All executions')}
            </Anchor>
          )}
        </Group>
        <DataTable
          label={t('Latest executions')}
          columns={columns}
          rows={latest.data?.data}
          rowKey={idOf}
          error={latest.error}
          onRetry={() => void latest.refetch()}
          onOpen={open}
          empty={
            <EmptyState icon={IconActivity} title={t('Nothing has run yet')}>
              {t('Executions appear here as they happen: started by hand, by a webhook or by a schedule.')}
            </EmptyState>
          }
        />
      </section>
    </Stack>
  );
}

const idOf = (row: ExecutionRow) => row.id;
const address = (row: ExecutionRow) => `${areaPath('executions')}/${segment(row.id)}`;

function executionColumns(names: ReadonlyMap<string, string>, linked: boolean): Column<ExecutionRow>[] {
  const nameOf = (row: ExecutionRow) =>
    names.get(row.workflowId ?? '') ?? (row.workflowId ? t('Deleted workflow') : t('Not saved'));
  return [
    {
      key: 'workflow',
      title: t('Workflow'),
      primary: true,
      render: (row) => (
        <>
          {linked ? (
            <Anchor component={Link} to={address(row)} c="inherit" inherit>
              {nameOf(row)}
            </Anchor>
          ) : (
            nameOf(row)
          )}
          {row.error?.message && (
            <Text size="xs" c="dimmed" fw={400} lineClamp={2}>
              {row.error.message}
            </Text>
          )}
        </>
      ),
    },
    { key: 'status', title: t('Status'), render: (row) => <StatusBadge status={row.status} /> },
    { key: 'started', title: t('Started'), render: (row) => <RelativeTime time={row.startedAt} /> },
    {
      key: 'took',
      title: t('Took'),
      align: 'end',
      render: (row) => <Duration from={row.startedAt} to={row.finishedAt ?? null} />,
    },
  ];
}
