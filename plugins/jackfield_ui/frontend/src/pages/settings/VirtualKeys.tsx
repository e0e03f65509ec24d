import { ActionIcon, Group, Stack, Text, Tooltip } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, data } from '../../api/client';
import type { Schemas } from '../../api/types';
import { confirm } from '../../components/confirm';
import type { Column } from '../../components/DataTable';
import { count, money } from '../../components/format';
import { Modal } from '../../components/Modal';
import { notifyError } from '../../components/notify';
import { PlaceMenu } from '../../components/projects/PlaceMenu';
import { projectColumns } from '../../components/projects/ProjectBadge';
import { useProjectsInUse } from '../../components/projects/queries';
import { type Belonging, useBelonging } from '../../components/projects/rights';
import { RelativeTime } from '../../components/values';
import { IconKey, IconRefresh, IconTrash } from '../../icons/drawn';
import { t } from '../../language/messages';
import { ListSection } from './ListSection';
import { SecretOnce } from './SecretOnce';
import { useNew } from './useNew';
import { VirtualKeyForm } from './VirtualKeyForm';

type Key = Schemas['VirtualKeyShown'];
type NewKey = Schemas['NewVirtualKeyShown'];
type NewBody = Schemas['NewKeyBody'];

const QUERY = ['virtual-keys'];
const NO_IDS: readonly string[] = [];

/** Keys of proxies: who may ask models through this daemon, and for how much. */
export function VirtualKeys() {
  const [adding, setAdding] = useNew();
  const inUse = useProjectsInUse();
  const list = useQuery({ queryKey: QUERY, queryFn: () => data(api.GET('/api/gateway/keys')) });
  const belonging = useBelonging('virtual-key', list.data?.map(({ id }) => id) ?? NO_IDS);
  return (
    <ListSection
      title={t('Virtual keys')}
      about={t('For programs and people that ask models through your proxies. They never see a provider’s key.')}
      icon={IconKey}
      none={t('No virtual keys')}
      hint={t('A key opens proxies for the models, time and money that you choose. Give each program its own key.')}
      add={t('New virtual key')}
      onAdd={() => setAdding(true)}
      columns={[...COLUMNS, ...projectColumns<Key>(inUse, belonging)]}
      rows={list.data}
      rowKey={({ id }) => id}
      error={list.error}
      onRetry={() => void list.refetch()}
      rowActions={(key) => <KeyActions virtualKey={key} belonging={belonging} />}
    >
      {adding && <NewKeyDialog onClose={() => setAdding(false)} />}
    </ListSection>
  );
}

const COLUMNS: Column<Key>[] = [
  {
    key: 'label',
    title: t('Label'),
    primary: true,
    sort: ({ label }) => label,
    render: ({ label, owner }) => (owner ? `${label} · ${owner}` : label),
  },
  { key: 'prefix', title: t('Begins with'), render: ({ prefix }) => <span className="jf-mono">{prefix}…</span> },
  { key: 'models', title: t('Models'), render: ({ models }) => <Names names={models} /> },
  { key: 'profiles', title: t('Profiles'), render: ({ profiles }) => <Names names={profiles} /> },
  { key: 'budgets', title: t('Budgets'), render: ({ budgets }) => <Budgets budgets={budgets} /> },
  { key: 'ends', title: t('Ends'), render: (key) => <Ends virtualKey={key} /> },
  { key: 'used', title: t('Last used'), render: ({ last_used_at }) => <RelativeTime time={last_used_at} /> },
];

function Names({ names }: { names: string[] }) {
  return names.length ? <span className="jf-mono">{names.join(' ')}</span> : t('All');
}

const OF: Record<Key['budgets'][number]['period'], (sums: { spent: string; limit: string }) => string> = {
  day: (sums) => t('{spent} of {limit} a day', sums),
  month: (sums) => t('{spent} of {limit} a month', sums),
  total: (sums) => t('{spent} of {limit} in total', sums),
};

function Budgets({ budgets }: { budgets: Key['budgets'] }) {
  return (
    <Stack gap={0}>
      {budgets.map(({ period, unit, used, limit }) => (
        <Text key={`${period}.${unit}`} span inherit c={used >= limit ? 'var(--jf-bad)' : undefined}>
          {OF[period]({ spent: told(used, unit), limit: told(limit, unit) })}
        </Text>
      ))}
    </Stack>
  );
}

function told(amount: number, unit: 'usd' | 'tokens'): string {
  return unit === 'usd' ? money(amount) : t('{amount} tokens', { amount: count(Math.round(amount)) });
}

function Ends({ virtualKey: { expires_at, status } }: { virtualKey: Key }) {
  return (
    <Text span inherit c={status === 'valid' ? undefined : 'var(--jf-bad)'}>
      <RelativeTime time={expires_at} />
    </Text>
  );
}

function KeyActions({ virtualKey: { id, label }, belonging }: { virtualKey: Key; belonging: Belonging }) {
  const client = useQueryClient();
  const [fresh, setFresh] = useState<NewKey>();
  const path = { params: { path: { key_id: id } } };
  const changed = () => client.invalidateQueries({ queryKey: QUERY });
  const revoke = useMutation({
    mutationFn: () => data(api.DELETE('/api/gateway/keys/{key_id}', path)),
    onSuccess: changed,
    onError: (error) => notifyError(error, t('“{label}” cannot be revoked', { label })),
  });
  const rotate = useMutation({
    mutationFn: () => data(api.POST('/api/gateway/keys/{key_id}/rotate', path)),
    onSuccess: (key) => {
      setFresh(key);
      void changed();
    },
    onError: (error) => notifyError(error, t('“{label}” cannot get a new secret', { label })),
  });
  const body = t('Programs that use it are refused from now on.');
  const askRevoke = async () => {
    if (await confirm({ title: t('Revoke the key “{label}”?', { label }), body, action: t('Revoke') })) revoke.mutate();
  };
  const askRotate = async () => {
    if (await confirm({ title: t('Create a new secret for “{label}”?', { label }), body, action: t('New secret') }))
      rotate.mutate();
  };
  return (
    <Group gap="xs" wrap="nowrap">
      {belonging.may(id, 'admin') && (
        <PlaceMenu kind="virtual-key" thing={{ id, name: label }} to={() => '/ui/settings/virtual-keys'} />
      )}
      <Tooltip label={t('New secret')}>
        <ActionIcon aria-label={t('New secret for {label}', { label })} onClick={() => void askRotate()}>
          <IconRefresh size={16} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={t('Revoke')}>
        <ActionIcon aria-label={t('Revoke {label}', { label })} onClick={() => void askRevoke()}>
          <IconTrash size={16} />
        </ActionIcon>
      </Tooltip>
      {fresh && (
        <Modal
          opened
          onClose={() => setFresh(undefined)}
          title={t('Copy the key now')}
          closeOnClickOutside={false}
          closeOnEscape={false}
        >
          <SecretOnce name={label} secret={fresh.key} testId="virtual-key" onClose={() => setFresh(undefined)} />
        </Modal>
      )}
    </Group>
  );
}

function NewKeyDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const [made, setMade] = useState<NewKey>();
  const send = (body: NewBody) => data(api.POST('/api/gateway/keys', { body }));
  const onMade = (key: NewKey) => {
    setMade(key);
    void client.invalidateQueries({ queryKey: QUERY });
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={made ? t('Copy the key now') : t('New virtual key')}
      closeOnClickOutside={!made}
      closeOnEscape={!made}
    >
      {made ? (
        <SecretOnce name={made.label} secret={made.key} testId="virtual-key" onClose={onClose} />
      ) : (
        <VirtualKeyForm send={send} onMade={onMade} onClose={onClose} />
      )}
    </Modal>
  );
}
