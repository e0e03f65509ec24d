import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, body } from '../../../api/client';
import type { Schemas } from '../../../api/types';
import { useMay } from '../../../app/session';
import { confirm } from '../../../components/confirm';
import type { Column } from '../../../components/DataTable';
import { EmptyState } from '../../../components/EmptyState';
import { count } from '../../../components/format';
import { notifyDone, notifyError } from '../../../components/notify';
import { StatusBadge } from '../../../components/StatusBadge';
import { IconBroadcast } from '../../../icons/drawn';
import { phrases, t } from '../../../language/messages';
import { ListSection } from '../ListSection';
import { useNew } from '../useNew';
import { KINDS, StreamDialog } from './StreamDialog';

type Stream = Schemas['LogStreamShown'];

const KEY = ['log-streams'];
const LOOK_MS = 5_000;
const ofStream = (id: string) => ({ params: { path: { stream_id: id } } });

export default function LogStreams() {
  const admin = useMay('admin');
  if (!admin) {
    return (
      <EmptyState icon={IconBroadcast} title={t('Only administrators set up log streaming')}>
        {t('Ask an administrator to set up a log stream.')}
      </EmptyState>
    );
  }
  return <Streams />;
}

function Streams() {
  const client = useQueryClient();
  const [adding, setAdding] = useNew();
  const [editing, setEditing] = useState<Stream>();
  const list = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => body(api.GET('/api/v1/log-streams', { signal })),
    refetchInterval: LOOK_MS,
  });
  const reread = () => void client.invalidateQueries({ queryKey: KEY });
  return (
    <ListSection
      title={t('Log streaming')}
      about={t('The audit log and events of executions go to syslog, an HTTP address or a collector of OTLP.')}
      icon={IconBroadcast}
      none={t('No log streams')}
      hint={t('Send the audit log to another computer, where nobody can change it.')}
      add={t('New log stream')}
      onAdd={() => setAdding(true)}
      columns={COLUMNS}
      rows={list.data?.data}
      rowKey={({ id }) => id}
      error={list.error}
      onRetry={() => void list.refetch()}
      rowActions={(stream) => <Actions stream={stream} onEdit={() => setEditing(stream)} onChange={reread} />}
    >
      {(adding || editing) && (
        <StreamDialog
          stream={editing}
          onSaved={reread}
          onClose={() => {
            setEditing(undefined);
            setAdding(false);
          }}
        />
      )}
    </ListSection>
  );
}

function Actions({ stream, onEdit, onChange }: { stream: Stream; onEdit: () => void; onChange: () => void }) {
  const { id, name } = stream;
  const test = useMutation({
    mutationFn: () => body(api.POST('/api/v1/log-streams/{stream_id}/test', ofStream(id))),
    onSuccess: ({ delivered, error }) =>
      delivered
        ? notifyDone(t('{name} took the test message.', { name }))
        : notifyError(new Error(error), t('The test failed')),
    onError: (error) => notifyError(error, t('The test failed')),
  });
  const { mutate } = useMutation({
    mutationFn: () => api.DELETE('/api/v1/log-streams/{stream_id}', ofStream(id)),
    onSuccess: onChange,
    onError: (error) => notifyError(error, t('“{name}” cannot be deleted', { name })),
  });
  const remove = async () => {
    const body = t('Its receiver gets nothing more. A new log stream begins with what happens from then on.');
    if (
      await confirm({ title: t('Delete the log stream “{name}”?', { name }), body, action: t('Delete'), danger: true })
    )
      mutate();
  };
  return (
    <Group gap="xs" wrap="nowrap">
      <Button
        variant="default"
        size="compact-sm"
        loading={test.isPending}
        aria-label={t('Send a test to {name}', { name })}
        onClick={() => test.mutate()}
      >
        {t('Send a test')}
      </Button>
      <Button variant="default" size="compact-sm" aria-label={t('Edit {name}', { name })} onClick={onEdit}>
        {t('Edit')}
      </Button>
      <Button
        variant="default"
        size="compact-sm"
        aria-label={t('Delete {name}', { name })}
        onClick={() => void remove()}
      >
        {t('Delete')}
      </Button>
    </Group>
  );
}

function State({ stream: { enabled, error, here, sent, failures, dropped, lost } }: { stream: Stream }) {
  if (!enabled) return <StatusBadge status="paused" tone="still" />;
  return (
    <>
      <StatusBadge status={error ? 'waiting' : 'live'} tone={error ? 'warn' : 'good'} />
      <Text size="sm" c="dimmed">
        {error}
        {error && <br />}
        {here
          ? phrases(
              t('{sent} sent', { sent: count(sent) }),
              failures > 0 && t('{failures, plural, one {# batch failed} other {# batches failed}}', { failures }),
              dropped > 0 && t('{dropped} dropped', { dropped: count(dropped) }),
              lost > 0 && t('{lost} lost', { lost: count(lost) }),
            )
          : t('This daemon does not deliver it now.')}
      </Text>
    </>
  );
}

const labelOf = (kind: Stream['kind']) => KINDS.find(({ value }) => value === kind)?.label ?? kind;

const COLUMNS: Column<Stream>[] = [
  {
    key: 'name',
    title: t('Name'),
    primary: true,
    sort: ({ name }) => name,
    render: ({ name, address }) => (
      <>
        {name}
        <Text size="sm" c="dimmed" fw={400} className="jf-mono" style={{ overflowWrap: 'anywhere' }}>
          {address}
        </Text>
      </>
    ),
  },
  {
    key: 'kind',
    title: t('Kind'),
    sort: ({ kind }) => kind,
    render: ({ kind, hasSecret, headers }) => (
      <>
        {labelOf(kind)}
        <Text size="sm" c="dimmed">
          {phrases(
            hasSecret && t('signed'),
            headers.length > 0 && t('{headers, plural, one {# header} other {# headers}}', { headers: headers.length }),
          )}
        </Text>
      </>
    ),
  },
  {
    key: 'filters',
    title: t('Events'),
    render: ({ filters }) => <span className="jf-mono">{filters.join(', ')}</span>,
  },
  { key: 'state', title: t('State'), width: 220, render: (stream) => <State stream={stream} /> },
];
