import { Group, Switch, Text } from '@mantine/core';
import { IconArrowsRightLeft } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { type Column, DataTable } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { moment } from '../../components/format';
import { StatusBadge } from '../../components/StatusBadge';
import { Count, Duration, Money } from '../../components/values';
import { MOST_REQUESTS, type Served, useRequests } from './queries';

/** Requests as they end, the newest first. */
export function Requests({ alias }: { alias: string }) {
  const requests = useRequests(alias);
  const [held, setHeld] = useState<readonly Served[]>();
  const rows = held ?? requests.data;
  const waiting = useMemo(() => {
    if (!held || !requests.data) return 0;
    const known = new Set(held.map(({ id }) => id));
    return requests.data.filter(({ id }) => !known.has(id)).length;
  }, [held, requests.data]);
  return (
    <>
      <Group justify="space-between" mb="sm">
        <Text c="dimmed" size="sm">
          The latest {MOST_REQUESTS} since the daemon has started.
        </Text>
        <Switch
          label={held ? `Follow (${waiting} new)` : 'Follow'}
          checked={held === undefined}
          onChange={(event) => setHeld(event.currentTarget.checked ? undefined : (requests.data ?? []))}
        />
      </Group>
      <DataTable
        label="Requests"
        columns={COLUMNS}
        rows={rows}
        rowKey={({ id }) => id}
        error={requests.error}
        onRetry={() => void requests.refetch()}
        empty={
          <EmptyState icon={IconArrowsRightLeft} title="No requests yet">
            Run the profile’s agent, in a terminal or from a workflow: its requests show here as they end.
          </EmptyState>
        }
      />
    </>
  );
}

const COLUMNS: Column<Served>[] = [
  { key: 'time', title: 'Time', primary: true, render: (row) => <Clock time={row.time} /> },
  {
    key: 'model',
    title: 'Asked for, and sent to',
    render: (row) => (
      <>
        {row.asked_model}
        <Text size="xs" c="dimmed">
          {row.provider} / {row.model}
          {row.translated && ', translated'}
        </Text>
      </>
    ),
  },
  {
    key: 'rule',
    title: 'Rule',
    width: '26%',
    render: (row) => (
      <>
        {row.rule ?? (
          <Text span c="dimmed">
            none
          </Text>
        )}
        <Text size="xs" c="dimmed" lineClamp={2} title={row.reason}>
          {row.reason}
        </Text>
      </>
    ),
  },
  {
    key: 'tokens',
    title: 'Tokens',
    align: 'end',
    render: (row) =>
      row.usage ? (
        <>
          <Count value={row.usage.input_tokens} short /> in, <Count value={row.usage.output_tokens ?? 0} short /> out
          {row.usage.cache_read_tokens + row.usage.cache_creation_tokens > 0 && (
            <Text size="xs" c="dimmed">
              <Count value={row.usage.cache_read_tokens + row.usage.cache_creation_tokens} short /> cached
            </Text>
          )}
        </>
      ) : (
        '–'
      ),
  },
  {
    key: 'cost',
    title: 'Cost',
    align: 'end',
    render: (row) => (row.cost_usd === null ? '–' : <Money value={row.cost_usd} />),
  },
  { key: 'took', title: 'Took', align: 'end', render: (row) => <Duration ms={row.duration_ms} /> },
  {
    key: 'status',
    title: 'Status',
    render: (row) => (
      <>
        <StatusBadge
          status=""
          label={String(row.status)}
          tone={row.status < 400 ? 'good' : row.status === 429 ? 'warn' : 'bad'}
        />
        {row.attempts > 1 && (
          <Text size="xs" c="dimmed">
            {row.attempts} attempts
          </Text>
        )}
        {row.error && (
          <Text size="xs" c="var(--jf-bad)" lineClamp={2} title={row.error}>
            {row.error}
          </Text>
        )}
      </>
    ),
  },
];

/** To the second: requests come close upon each other. */
function Clock({ time }: { time: string }) {
  const at = new Date(time);
  return (
    <time dateTime={time} title={moment(at)} className="jf-nowrap">
      {new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' }).format(at)}
    </time>
  );
}
