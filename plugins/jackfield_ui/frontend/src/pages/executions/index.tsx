import { Anchor, Button, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { api, body } from '../../api/client';
import { oneOf, usePaged } from '../../api/paging';
import type { ExecutionRow } from '../../api/types';
import { useInvalidate } from '../../api/useEvents';
import { useMay } from '../../app/session';
import { type Column, DataTable } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { moment } from '../../components/format';
import { Page } from '../../components/Page';
import { projectColumnsBy } from '../../components/projects/ProjectBadge';
import { useProjectsInUse } from '../../components/projects/queries';
import { useBelonging } from '../../components/projects/rights';
import { StatusBadge } from '../../components/StatusBadge';
import { Duration, RelativeTime } from '../../components/values';
import { IconActivity, IconSearch } from '../../icons/drawn';
import { t } from '../../language/messages';
import { Chosen } from './Chosen';
import { type Filter, Filters, SPANS } from './Filters';
import { executionPath, isOpen, MODE_WORDS, MODES, nameOf, STATUSES, useStats, useWorkflowNames } from './queries';

const LIVE = ['execution.started', 'execution.waiting', 'execution.finished'];

export default function Executions() {
  const navigate = useNavigate();
  const may = useMay('member');
  const [filter, change] = useFilter();
  const [selected, setSelected] = useState(new Set<string>());
  const since = useMemo(() => {
    const span = SPANS[filter.within];
    return span ? new Date(Date.now() - span.ms).toISOString() : '';
  }, [filter.within]);
  const others = { workflowId: filter.workflow, mode: oneOf(MODE_WORDS, filter.mode), since };
  const stats = useStats(others);
  const list = usePaged(['executions', 'list', others, filter.status], (page, signal) => {
    const query = { ...others, status: oneOf(STATUSES, filter.status), ...page };
    return body(api.GET('/api/v1/executions', { params: { query }, signal }));
  });
  const names = useWorkflowNames();
  useInvalidate(
    'workflows',
    [
      ['executions', 'list'],
      ['executions', 'stats'],
    ],
    LIVE,
  );
  const columns = useMemo(() => columnsWith(names.data), [names.data]);
  const workflows = useMemo(() => workflowsOf(list.rows ?? []), [list.rows]);
  const inUse = useProjectsInUse();
  const belonging = useBelonging('workflow', workflows);
  const filtered = Object.values(filter).some(Boolean);

  return (
    <Page title={t('Executions')} subtitle={t('Every run of a workflow, with its outcome and data.')}>
      <Filters filter={filter} stats={stats.data} onChange={change} />
      {selected.size > 0 && (
        <Chosen selected={selected} rows={list.rows ?? []} names={names.data} onChange={setSelected} />
      )}
      <DataTable
        label={t('Executions')}
        columns={[...columns, ...projectColumnsBy(projectBy, inUse, belonging)]}
        rows={list.rows}
        rowKey={({ id }) => id}
        rowName={(row) => `${nameOf(names.data, row.workflowId)}, ${moment(new Date(row.startedAt))}`}
        error={list.error}
        onRetry={() => void list.refetch()}
        paging={list.paging}
        onOpen={(row) => void navigate(executionPath(row.id))}
        {...(may ? { selection: { selected, onChange: setSelected } } : {})}
        empty={
          filtered ? (
            <EmptyState
              icon={IconSearch}
              title={t('No execution matches')}
              action={
                <Button variant="default" onClick={() => change({ status: '', workflow: '', mode: '', within: '' })}>
                  {t('Show all executions')}
                </Button>
              }
            >
              {t('Choose another status, workflow or time.')}
            </EmptyState>
          ) : (
            <EmptyState
              icon={IconActivity}
              title={t('Nothing has run yet')}
              action={
                <Button component={Link} to="/ui/workflows">
                  {t('Open workflows')}
                </Button>
              }
            >
              {t('Run a workflow by hand, call its webhook, or let a schedule start it. It then appears here.')}
            </EmptyState>
          )
        }
      />
    </Page>
  );
}

/** An execution is in the project of its workflow. */
const projectBy = ({ workflowId }: ExecutionRow) => workflowId ?? '';

const workflowsOf = (rows: readonly ExecutionRow[]) => [...new Set(rows.map(projectBy))].filter(Boolean).sort();

/** The filter stands in the address, so that it can be linked to and survives "back". */
function useFilter(): [Filter, (change: Partial<Filter>) => void] {
  const [params, setParams] = useSearchParams();
  const filter: Filter = {
    status: params.get('status') ?? '',
    workflow: params.get('workflow') ?? '',
    mode: params.get('mode') ?? '',
    within: params.get('within') ?? '',
  };
  const change = (part: Partial<Filter>) =>
    setParams(Object.fromEntries(Object.entries({ ...filter, ...part }).filter(([, value]) => value)), {
      replace: true,
    });
  return [filter, change];
}

function columnsWith(names: ReadonlyMap<string, string> | undefined): Column<ExecutionRow>[] {
  return [
    {
      key: 'workflow',
      title: t('Workflow'),
      primary: true,
      render: (row) => (
        <>
          <Anchor component={Link} to={executionPath(row.id)} c="inherit" inherit>
            {nameOf(names, row.workflowId)}
          </Anchor>
          {row.error?.message && (
            <Text size="xs" c="dimmed" fw={400} lineClamp={2}>
              {row.error.node ? `${row.error.node}: ` : ''}
              {row.error.message}
            </Text>
          )}
        </>
      ),
    },
    { key: 'status', title: t('Status'), width: 130, render: (row) => <StatusBadge status={row.status} /> },
    { key: 'mode', title: t('Started by'), width: 130, render: (row) => MODES[row.mode] ?? row.mode },
    { key: 'started', title: t('Started'), width: 130, render: (row) => <RelativeTime time={row.startedAt} /> },
    {
      key: 'took',
      title: t('Took'),
      align: 'end',
      width: 110,
      render: (row) =>
        row.finishedAt || isOpen(row) ? <Duration from={row.startedAt} to={row.finishedAt ?? null} /> : '–',
    },
  ];
}
