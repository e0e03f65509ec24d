import { ActionIcon, Checkbox, MultiSelect, Stack, Text, TextInput, Tooltip } from '@mantine/core';
import { IconKey, IconTrash } from '@tabler/icons-react';
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
import { Expiry, momentOf, USUAL_END } from './Expiry';
import { Buttons, Unexplained } from './FormParts';
import { ListSection } from './ListSection';
import { SecretOnce } from './SecretOnce';
import { useNew } from './useNew';

type Key = Schemas['KeyView'];
type NewKey = Schemas['NewKeyView'];

const PATH = '/api/v1/api-keys';
const SCOPES: Record<string, string> = {
  'workflows:read': 'Read workflows, variables and node types',
  'workflows:write': 'Write, activate and delete workflows',
  'workflows:execute': 'Run workflows, cancel and retry executions',
  'executions:read': 'Read executions with their items',
  'webhooks:read': 'Read webhooks and their calls',
  'credentials:write': 'Manage credentials',
  'data-tables:read': 'Read data tables',
  'data-tables:write': 'Change data tables and their rows',
  'evaluations:read': 'Read evaluations and their runs',
  'evaluations:write': 'Change and run evaluations',
  'agents:read': 'Read agents, profiles, terminals, proxies and usage',
  'machine:write': 'Write workflows with commands, files of the machine and SSH',
  'agents:write': 'Start and change agents: all that your account on the machine may do',
};

export function ApiKeys() {
  const owner = useSession().info?.kind === 'owner';
  if (owner) {
    return (
      <EmptyState icon={IconKey} title="API keys belong to users">
        You came in as the user of this computer, who has no account. Add a user under “Users”, log in as that user, and
        make keys there. Programs of yours on this computer need no key for the agents’ side of the API.
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
      title="API keys"
      about={
        <>
          For programs that call the API as you, with the header <span className="jf-mono">X-API-Key</span>. These are
          yours; other users have their own.
        </>
      }
      icon={IconKey}
      none="No API keys"
      hint="A key lets a program in without your password. Give each program its own key, with only the scopes it needs."
      add="New API key"
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
  { key: 'name', title: 'Name', primary: true, sort: ({ name }) => name, render: ({ name }) => name },
  { key: 'prefix', title: 'Begins with', render: ({ prefix }) => <span className="jf-mono">{prefix}…</span> },
  {
    key: 'scopes',
    title: 'May',
    render: ({ scopes }) => (scopes.length ? <span className="jf-mono">{scopes.join(' ')}</span> : 'All that you may'),
  },
  { key: 'ends', title: 'Ends', render: ({ expiresAt }) => <Ends time={expiresAt} /> },
  { key: 'used', title: 'Last used', render: ({ lastUsedAt }) => <RelativeTime time={lastUsedAt} /> },
];

function projectsColumn(projects: readonly Project[]): Column<Key> {
  return {
    key: 'projects',
    title: 'Projects',
    render: (key) => key.projects.map((id) => projectName({ projects }, id)).join(', ') || 'All of yours',
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
    onError: (error) => notifyError(error, `“${name}” cannot be revoked`),
  });
  const ask = async () => {
    const body = 'Programs that use it are refused from now on.';
    if (await confirm({ title: `Revoke the API key “${name}”?`, body, action: 'Revoke' })) mutate();
  };
  return (
    <Tooltip label="Revoke">
      <ActionIcon aria-label={`Revoke ${name}`} onClick={() => void ask()}>
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
      title={made ? 'Copy the key now' : 'New API key'}
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
    validate: { scopes: (scopes, { limited }) => (limited && !scopes.length ? 'Choose at least one.' : null) },
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
          label="Name"
          description="The program that will use it"
          required
          maxLength={200}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Expiry {...form.getInputProps('ends')} />
        <Checkbox
          label="Limit what it may do"
          description="Without a limit it may do all that you may."
          {...form.getInputProps('limited', { type: 'checkbox' })}
        />
        {form.values.limited && (
          <Checkbox.Group label="It may" {...form.getInputProps('scopes')}>
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
            label="Projects"
            description="Without a choice it reaches all of yours, also those that you join later."
            placeholder={form.values.projects.length ? '' : 'All of your projects'}
            data={projects.map(({ id, name }) => ({ value: id, label: name }))}
            searchable
            {...form.getInputProps('projects')}
          />
        )}
        <Buttons action="Create the key" busy={busy} onClose={onClose} />
      </Stack>
    </form>
  );
}
