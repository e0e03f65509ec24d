import { ActionIcon, Checkbox, MultiSelect, Stack, Text, TextInput, Tooltip } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, body } from '../../api/client';
import { usePaged } from '../../api/paging';
import type { Schemas } from '../../api/types';
import { useSession } from '../../app/session';
import { confirm } from '../../components/confirm';
import type { Column } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { Modal } from '../../components/Modal';
import { notifyError } from '../../components/notify';
import { projectName } from '../../components/projects/ProjectBadge';
import { type Project, useProjects, useProjectsInUse } from '../../components/projects/queries';
import { useSending } from '../../components/useSending';
import { RelativeTime } from '../../components/values';
import { IconKey, IconTrash } from '../../icons/drawn';
import { rich, t } from '../../language/messages';
import { Expiry, momentOf, USUAL_END } from './Expiry';
import { Buttons, Unexplained } from './FormParts';
import { ListSection } from './ListSection';
import { SecretOnce } from './SecretOnce';
import { useNew } from './useNew';

type Key = Schemas['KeyView'];
type NewKey = Schemas['NewKeyView'];

const PATH = '/api/v1/api-keys';
const SCOPES: Record<string, string> = {
  'workflows:read': t('Read workflows, variables and node types'),
  'workflows:write': t('Write, activate and delete workflows'),
  'workflows:execute': t('Run workflows, cancel and retry executions'),
  'executions:read': t('Read executions with their items'),
  'webhooks:read': t('Read webhooks and their calls'),
  'credentials:write': t('Manage credentials'),
  'data-tables:read': t('Read data tables'),
  'data-tables:write': t('Change data tables and their rows'),
  'evaluations:read': t('Read evaluations and their runs'),
  'evaluations:write': t('Change and run evaluations'),
  'agents:read': t('Read agents, profiles, terminals, proxies and usage'),
  'machine:write': t('Write workflows with commands, files of the computer and SSH'),
  'agents:write': t('Start and change agents: all that your account on the computer may do'),
};

export function ApiKeys() {
  const owner = useSession().info?.kind === 'owner';
  if (owner) {
    return (
      <EmptyState icon={IconKey} title={t('API keys belong to users')}>
        {t(
          'You came in as the user of this computer, who has no account. Add a user under “Users”, log in as that user, and make keys there. Programs of yours on this computer need no key for the agents’ side of the API.',
        )}
      </EmptyState>
    );
  }
  return <KeyList />;
}

function KeyList() {
  const [adding, setAdding] = useNew();
  const inUse = useProjectsInUse();
  const { data: projects = [] } = useProjects(inUse);
  const list = usePaged(['api-keys'], (query, signal) => body(api.GET(PATH, { params: { query }, signal })), 100);
  return (
    <ListSection
      title={t('API keys')}
      about={rich(
        'For programs that call the API as you, with the header {code}. These are yours; other users have their own.',
        { code: <span className="jf-mono">X-API-Key</span> },
      )}
      icon={IconKey}
      none={t('No API keys')}
      hint={t(
        'A key lets a program in without your password. Give each program its own key, with only the scopes it needs.',
      )}
      add={t('New API key')}
      onAdd={() => setAdding(true)}
      columns={inUse ? [...COLUMNS, projectsColumn(projects)] : COLUMNS}
      rows={list.rows}
      rowKey={({ id }) => id}
      error={list.error}
      onRetry={() => void list.refetch()}
      paging={list.paging}
      rowActions={(key) => <Revoke apiKey={key} />}
    >
      {adding && <NewKeyDialog onClose={() => setAdding(false)} />}
    </ListSection>
  );
}

const COLUMNS: Column<Key>[] = [
  { key: 'name', title: t('Name'), primary: true, sort: ({ name }) => name, render: ({ name }) => name },
  { key: 'prefix', title: t('Begins with'), render: ({ prefix }) => <span className="jf-mono">{prefix}…</span> },
  {
    key: 'scopes',
    title: t('May'),
    render: ({ scopes }) =>
      scopes.length ? <span className="jf-mono">{scopes.join(' ')}</span> : t('All your rights'),
  },
  { key: 'ends', title: t('Ends'), render: ({ expiresAt }) => <Ends time={expiresAt} /> },
  { key: 'used', title: t('Last used'), render: ({ lastUsedAt }) => <RelativeTime time={lastUsedAt} /> },
];

function projectsColumn(projects: readonly Project[]): Column<Key> {
  return {
    key: 'projects',
    title: t('Projects'),
    render: (key) => key.projects.map((id) => projectName({ projects }, id)).join(', ') || t('All your projects'),
  };
}

function Ends({ time }: { time: string | null | undefined }) {
  const over = time ? Date.parse(time) < Date.now() : false;
  return (
    <Text span inherit c={over ? 'var(--jf-bad)' : undefined}>
      <RelativeTime time={time} />
    </Text>
  );
}

function Revoke({ apiKey: { id, name } }: { apiKey: Key }) {
  const client = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: () => api.DELETE('/api/v1/api-keys/{key_id}', { params: { path: { key_id: id } } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['api-keys'] }),
    onError: (error) => notifyError(error, t('“{name}” cannot be revoked', { name })),
  });
  const ask = async () => {
    const body = t('Programs that use it are refused from now on.');
    if (await confirm({ title: t('Revoke the API key “{name}”?', { name }), body, action: t('Revoke') })) mutate();
  };
  return (
    <Tooltip label={t('Revoke')}>
      <ActionIcon aria-label={t('Revoke {name}', { name })} onClick={() => void ask()}>
        <IconTrash size={16} />
      </ActionIcon>
    </Tooltip>
  );
}

function NewKeyDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const [made, setMade] = useState<NewKey>();
  const onMade = (key: NewKey) => {
    setMade(key);
    void client.invalidateQueries({ queryKey: ['api-keys'] });
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={made ? t('Copy the key now') : t('New API key')}
      closeOnClickOutside={!made}
      closeOnEscape={!made}
    >
      {made ? (
        <SecretOnce name={made.name} secret={made.key} testId="api-key" onClose={onClose} />
      ) : (
        <KeyForm onMade={onMade} onClose={onClose} />
      )}
    </Modal>
  );
}

function KeyForm({ onMade, onClose }: { onMade: (key: NewKey) => void; onClose: () => void }) {
  const { data: projects = [] } = useProjects(useProjectsInUse());
  const { form, error, busy, submit } = useSending({
    initial: {
      name: '',
      ends: USUAL_END,
      limited: true,
      scopes: ['workflows:read', 'executions:read'],
      projects: [] as string[],
    },
    validate: { scopes: (scopes, { limited }) => (limited && !scopes.length ? t('Choose at least one.') : null) },
    send: ({ name, ends, limited, scopes, projects: within }) =>
      body(
        api.POST(PATH, {
          body: {
            name,
            expiresAt: momentOf(ends),
            scopes: limited ? scopes : undefined,
            projects: within.length ? within : undefined,
          },
        }),
      ),
    onSent: onMade,
    namedAs: { expiresAt: 'ends' },
  });
  return (
    <form onSubmit={submit}>
      <Stack>
        <Unexplained error={error} />
        <TextInput
          label={t('Name')}
          description={t('The program that will use it')}
          required
          maxLength={200}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Expiry {...form.getInputProps('ends')} />
        <Checkbox
          label={t('Limit the key’s rights')}
          description={t('Without a limit, the key has all your rights.')}
          {...form.getInputProps('limited', { type: 'checkbox' })}
        />
        {form.values.limited && (
          <Checkbox.Group label={t('It may')} {...form.getInputProps('scopes')}>
            <Stack gap="sm" mt="xs">
              {Object.entries(SCOPES).map(([scope, about]) => (
                <Checkbox
                  key={scope}
                  value={scope}
                  label={about}
                  description={<span className="jf-mono">{scope}</span>}
                />
              ))}
            </Stack>
          </Checkbox.Group>
        )}
        {projects.length > 0 && (
          <MultiSelect
            label={t('Projects')}
            description={t('Without a choice, the key reaches all your projects, also those that you join later.')}
            placeholder={form.values.projects.length ? '' : t('All your projects')}
            data={projects.map(({ id, name }) => ({ value: id, label: name }))}
            searchable
            {...form.getInputProps('projects')}
          />
        )}
        <Buttons action={t('Create the key')} busy={busy} onClose={onClose} />
      </Stack>
    </form>
  );
}
