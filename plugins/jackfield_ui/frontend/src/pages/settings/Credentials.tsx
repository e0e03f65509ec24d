import { Select } from '@mantine/core';
import { useState } from 'react';
import { useMay } from '../../app/session';
import type { Column } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { ChosenThings } from '../../components/projects/ChosenThings';
import { projectColumns } from '../../components/projects/ProjectBadge';
import { useProjectsInUse } from '../../components/projects/queries';
import { useBelonging } from '../../components/projects/rights';
import { StatusBadge } from '../../components/StatusBadge';
import { RelativeTime } from '../../components/values';
import { IconShieldLock } from '../../icons/drawn';
import { t } from '../../language/messages';
import { CredentialActions } from './CredentialActions';
import { EditCredential, NewCredential } from './CredentialDialog';
import { type Credential, type CredentialType, useCredential, useCredentials, useCredentialTypes } from './credentials';
import { ListSection } from './ListSection';
import { useNew } from './useNew';

const HERE = '/ui/settings/credentials';
const NO_IDS: readonly string[] = [];

export function Credentials() {
  const may = useMay('member');
  if (!may) {
    return (
      <EmptyState icon={IconShieldLock} title={t('Viewers cannot see credentials')}>
        {t('A member or an administrator manages them. Workflows that you look at name the credentials they use.')}
      </EmptyState>
    );
  }
  return <CredentialList />;
}

function CredentialList() {
  const [adding, setAdding] = useNew();
  const [editing, setEditing] = useState<Credential>();
  const [kind, setKind] = useState('');
  const list = useCredentials();
  const kinds = useCredentialTypes();
  const inUse = useProjectsInUse();
  const belonging = useBelonging('credential', list.data?.map(({ id }) => id) ?? NO_IDS);
  const [selected, setSelected] = useState(new Set<string>());
  const columns = [...columnsWith(kinds.data), ...projectColumns<Credential>(inUse, belonging)];
  const present = [...new Set(list.data?.map((one) => one.kind))];
  const rows = list.data?.filter((one) => !kind || one.kind === kind);
  return (
    <ListSection
      title={t('Credentials')}
      about={t(
        'Nodes use credentials to sign in to other services. They are stored encrypted, and secrets are never shown again.',
      )}
      icon={IconShieldLock}
      none={t('No credentials yet')}
      hint={t(
        'Keep a service’s key, password or OAuth 2 access here once, and choose it by name in every node that needs it.',
      )}
      add={t('New credential')}
      onAdd={() => setAdding(true)}
      filter={
        <>
          {selected.size > 0 && (
            <ChosenThings
              kind="credential"
              things={(list.data ?? []).filter(({ id }) => selected.has(id))}
              to={() => HERE}
              placing={[...selected].every((id) => belonging.may(id, 'admin'))}
              onChange={setSelected}
            />
          )}
          {present.length > 1 && (
            <Select
              aria-label={t('Kind')}
              mb="sm"
              w={240}
              data={[
                { value: '', label: t('All kinds') },
                ...present.map((name) => ({ value: name, label: kinds.data?.get(name)?.title ?? name })),
              ]}
              value={kind}
              allowDeselect={false}
              onChange={(next) => setKind(next ?? '')}
            />
          )}
        </>
      }
      columns={columns}
      rows={rows}
      rowKey={({ id }) => id}
      rowName={({ name }) => name}
      {...(inUse ? { selection: { selected, onChange: setSelected } } : {})}
      error={list.error}
      onRetry={() => void list.refetch()}
      initialSort={{ key: 'kind', descending: false }}
      rowActions={(credential) => (
        <CredentialActions
          credential={credential}
          belonging={belonging}
          oauth2={kinds.data?.get(credential.kind)?.oauth2 ?? false}
          onEdit={() => setEditing(credential)}
        />
      )}
    >
      {adding && <NewCredential onClose={() => setAdding(false)} />}
      {editing && <EditCredential credential={editing} onClose={() => setEditing(undefined)} />}
    </ListSection>
  );
}

function columnsWith(kinds: ReadonlyMap<string, CredentialType> | undefined): Column<Credential>[] {
  const titleOf = ({ kind }: Credential) => kinds?.get(kind)?.title ?? kind;
  return [
    { key: 'name', title: t('Name'), primary: true, sort: ({ name }) => name, render: ({ name }) => name },
    { key: 'kind', title: t('Kind'), sort: titleOf, render: titleOf },
    {
      key: 'state',
      title: t('State'),
      render: ({ id, kind }) => (kinds?.get(kind)?.oauth2 ? <Connected id={id} /> : '–'),
    },
    {
      key: 'changed',
      title: t('Changed'),
      sort: ({ updatedAt }) => updatedAt,
      render: ({ updatedAt }) => <RelativeTime time={updatedAt} />,
    },
  ];
}

function Connected({ id }: { id: string }) {
  const { data } = useCredential(id);
  if (!data) return <span>…</span>;
  return data.connected ? (
    <StatusBadge status="connected" label={t('Connected')} tone="good" />
  ) : (
    <StatusBadge status="open" label={t('Not connected')} tone="still" />
  );
}
