import { Group, Switch, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { type Column, DataTable } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { moment } from '../../components/format';
import { StatusBadge } from '../../components/StatusBadge';
import { Count, Duration, Money } from '../../components/values';
import { IconArrowsRightLeft } from '../../icons/drawn';
import { locale, rich, t } from '../../language/messages';
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
          {t('The latest {mostRequests} since the daemon has started.', { mostRequests: MOST_REQUESTS })}
        </Text>
        <Switch
          label={held ? t('Follow ({waiting} new)', { waiting }) : t('Follow')}
          checked={held === undefined}
          onChange={(event) => setHeld(event.currentTarget.checked ? undefined : (requests.data ?? []))}
        />
      </Group>
      <DataTable
        label={t('Requests')}
        columns={COLUMNS}
        rows={rows}
        rowKey={({ id }) => id}
        error={requests.error}
        onRetry={() => void requests.refetch()}
        empty={
          <EmptyState icon={IconArrowsRightLeft} title={t('No requests yet')}>
            {t('Run the profile’s agent, in a terminal or from a workflow: its requests show here as they end.')}
          </EmptyState>
        }
      />
    </>
  );
}

const COLUMNS: Column<Served>[] = [
  { key: 'time', title: t('Time'), primary: true, render: (row) => <Clock time={row.time} /> },
  {
    key: 'model',
    title: t('Asked for, and sent to'),
    render: (row) => (
      <>
        {row.asked_model}
        <Text size="xs" c="dimmed">
          {row.provider} / {row.model}
          {row.translated && `, ${t('translated')}`}
        </Text>
      </>
    ),
  },
  {
    key: 'rule',
    title: t('Rule'),
    width: '26%',
    render: (row) => (
      <>
        {row.rule ?? (
          <Text span c="dimmed">
            {t('none')}
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
    title: t('Tokens'),
    align: 'end',
    render: (row) =>
      row.usage
        ? rich('{inputTokens} in, {outputTokens} out{text}', {
            inputTokens: <Count value={row.usage.input_tokens} short />,
            outputTokens: <Count value={row.usage.output_tokens ?? 0} short />,
            text: row.usage.cache_read_tokens + row.usage.cache_creation_tokens > 0 && (
              <Text size="xs" c="dimmed">
                {rich('{cacheReadTokens} cached', {
                  cacheReadTokens: (
                    <Count value={row.usage.cache_read_tokens + row.usage.cache_creation_tokens} short />
                  ),
                })}
              </Text>
            ),
          })
        : '–',
  },
  {
    key: 'cost',
    title: t('Cost'),
    align: 'end',
    render: (row) => (row.cost_usd === null ? '–' : <Money value={row.cost_usd} />),
  },
  { key: 'took', title: t('Took'), align: 'end', render: (row) => <Duration ms={row.duration_ms} /> },
  {
    key: 'status',
    title: t('Status'),
    render: (row) => (
      <>
        <StatusBadge
          status=""
          label={String(row.status)}
          tone={row.status < 400 ? 'good' : row.status === 429 ? 'warn' : 'bad'}
        />
        {row.attempts > 1 && (
          <Text size="xs" c="dimmed">
            {t('{attempts} attempts', { attempts: row.attempts })}
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
      {new Intl.DateTimeFormat(locale(), { timeStyle: 'medium' }).format(at)}
    </time>
  );
}
