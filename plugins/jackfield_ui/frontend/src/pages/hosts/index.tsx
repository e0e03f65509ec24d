import { Badge, Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, data } from '../../api/client';
import type { Schemas } from '../../api/types';
import { useMay } from '../../app/session';
import { confirm } from '../../components/confirm';
import { type Column, DataTable } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { notifyDone, notifyError } from '../../components/notify';
import { Page } from '../../components/Page';
import { StatusBadge, type Tone } from '../../components/StatusBadge';
import { IconServer2 } from '../../icons/drawn';
import { t } from '../../language/messages';

type Host = Schemas['HostShown'];

const KEY = ['hosts'];
/** A host tells of itself once a second. */
const LOOK_MS = 2_000;
const TONES: Record<Host['state'], Tone> = { ready: 'good', draining: 'warn', gone: 'bad' };
const ORDER: Record<Host['state'], number> = { gone: 0, draining: 1, ready: 2 };
const SLOTS: Record<string, string> = { agents: 'agents', flows: 'executions' };

export default function Hosts() {
  const admin = useMay('admin');
  const list = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => data(api.GET('/api/hosts', { signal })),
    refetchInterval: LOOK_MS,
  });
  const several = (list.data?.length ?? 0) > 1;
  return (
    <Page
      title={t('Hosts')}
      subtitle={t('The daemons that share this store. Each has its own profiles, terminals and proxies.')}
    >
      <DataTable
        label={t('Hosts')}
        columns={COLUMNS}
        rows={list.data}
        rowKey={({ name }) => name}
        error={list.error}
        onRetry={() => void list.refetch()}
        initialSort={{ key: 'name', descending: false }}
        textOf={({ name, labels, roles }) => [name, ...labels, ...roles].join(' ')}
        empty={<EmptyState icon={IconServer2} title={t('No hosts')} />}
        {...(admin && several ? { rowActions: (host: Host) => <Drain host={host} /> } : {})}
      />
    </Page>
  );
}

function Drain({ host: { name, draining } }: { host: Host }) {
  const client = useQueryClient();
  const params = { params: { path: { name } } };
  const { mutate, isPending } = useMutation({
    mutationFn: () =>
      data(draining ? api.POST('/api/hosts/{name}/resume', params) : api.POST('/api/hosts/{name}/drain', params)),
    onSuccess: () =>
      notifyDone(draining ? t('{name} takes work again.', { name }) : t('{name} takes no new work.', { name })),
    onError: (error) => notifyError(error),
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
  });
  const act = async () => {
    if (draining || (await confirm(question(name)))) mutate();
  };
  return (
    <Button
      variant="default"
      size="compact-sm"
      loading={isPending}
      aria-label={`${draining ? t('Resume') : t('Drain')} ${name}`}
      onClick={() => void act()}
    >
      {draining ? t('Resume') : t('Drain')}
    </Button>
  );
}

const question = (name: string) => ({
  title: t('Drain the host “{name}”?', { name }),
  body: t(
    'It takes no new work until you resume it. Running work goes on to its end; queued work moves to other hosts.',
  ),
  action: t('Drain'),
  danger: false,
});

function Words({ words }: { words: readonly string[] }) {
  if (words.length === 0) return '–';
  return (
    <Group gap={4}>
      {words.map((word) => (
        <Badge key={word} variant="default" tt="none" fw={500}>
          {word}
        </Badge>
      ))}
    </Group>
  );
}

function Slots({ slots }: { slots: Host['slots'] }) {
  const shown = Object.entries(slots);
  if (shown.length === 0) return '–';
  return shown.map(([role, { used, total }]) => (
    <Text key={role} size="sm" style={{ whiteSpace: 'nowrap' }}>
      {t('{used} of {total} {slots}', { used, total, slots: SLOTS[role] ?? role })}
    </Text>
  ));
}

const COLUMNS: Column<Host>[] = [
  {
    key: 'name',
    title: t('Host'),
    primary: true,
    sort: ({ name }) => name,
    render: ({ name, address, here }) => (
      <>
        {name}
        {here && (
          <Text span size="sm" c="dimmed">
            {` ${t('(this one)')}`}
          </Text>
        )}
        <Text size="sm" c="dimmed" fw={400} className="jf-mono">
          {address}
        </Text>
      </>
    ),
  },
  {
    key: 'state',
    title: t('State'),
    width: 130,
    sort: ({ state }) => ORDER[state],
    render: ({ state }) => <StatusBadge status={state} tone={TONES[state]} />,
  },
  { key: 'roles', title: t('Roles'), render: ({ roles }) => <Words words={roles} /> },
  { key: 'labels', title: t('Labels'), render: ({ labels }) => <Words words={labels} /> },
  {
    key: 'slots',
    title: t('Slots in use'),
    width: 170,
    sort: ({ slots }) => Object.values(slots).reduce((sum, { used }) => sum + used, 0),
    render: ({ slots }) => <Slots slots={slots} />,
  },
  {
    key: 'version',
    title: t('Version'),
    width: 110,
    sort: ({ version }) => version,
    render: ({ version }) => version || '–',
  },
];
