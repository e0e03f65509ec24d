import { Autocomplete, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../../api/errors';
import { useMay } from '../../app/session';
import blocks from '../../components/blocks.module.css';
import { ChangedElsewhere } from '../../components/ChangedElsewhere';
import { Copyable } from '../../components/Copyable';
import { DirectoryInput } from '../../components/DirectoryInput';
import { notifyDone, notifyError } from '../../components/notify';
import { useUnsaved } from '../../components/unsaved';
import { RelativeTime } from '../../components/values';
import { line, words } from '../../components/words';
import { ApiKey } from './ApiKey';
import { PersistSelect, SandboxSelect } from './Choices';
import { changesOf, outdated } from './edits';
import classes from './profiles.module.css';
import { type AgentDetail, type Detail, useChange, useProvider } from './queries';

/** Model, endpoint, directory, arguments, sandbox, and the key. */
export function Settings({ profile, agent }: { profile: Detail; agent: AgentDetail | undefined }) {
  const provider = useProvider(profile.provider_id);
  const change = useChange(profile.alias);
  const writes = useMay('member');
  // Only what is changed here is kept: the rest follows what is stored, whoever changes it.
  const [edits, setEdits] = useState<Partial<Form>>({});
  const stored = formOf(profile);
  const [seen, setSeen] = useState(stored);
  const form = { ...stored, ...edits };
  const fields = change.error instanceof ApiError ? change.error.fields : {};
  const dirty = JSON.stringify(form) !== JSON.stringify(stored);
  const late = outdated(edits, seen, stored);
  useUnsaved(dirty, 'this profile');
  const put = (more: Partial<Form>) => {
    if (!dirty) setSeen(stored);
    setEdits((known) => changesOf({ ...known, ...more }, stored));
  };

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const changed: Record<string, unknown> = {};
    if (form.model !== stored.model) changed.model = form.model.trim() || null;
    if (form.endpoint !== stored.endpoint) changed.endpoint_id = form.endpoint;
    if (form.directory !== stored.directory) changed.working_dir = form.directory.trim() || null;
    if (form.args !== stored.args) changed.args = words(form.args);
    if (form.sandbox !== stored.sandbox) changed.sandbox = form.sandbox;
    if (form.persist !== stored.persist) changed.persist = form.persist;
    try {
      const saved = await change.mutateAsync(changed);
      setEdits({});
      notifyDone(saved.warning ?? 'Saved.');
    } catch (error) {
      if (!(error instanceof ApiError && Object.keys(error.fields).length)) notifyError(error, 'It was not saved');
    }
  };

  const models = [
    ...new Set([
      ...(provider.data?.models ?? []),
      ...(provider.data?.dialect === null ? (agent?.supported_models ?? []) : []),
    ]),
  ];
  return (
    <Stack className={classes.form} gap="lg">
      <form onSubmit={(event) => void submit(event)}>
        <Stack>
          <Autocomplete
            label="Model"
            openOnFocus={false}
            data={models}
            value={form.model}
            placeholder="The default"
            onChange={(model) => put({ model })}
            error={fields.model}
            readOnly={!writes}
          />
          <Select
            label="Endpoint"
            data={Object.entries(provider.data?.endpoints ?? { [profile.endpoint_id]: '' }).map(([name, url]) => ({
              value: name,
              label: url ? `${name}: ${url}` : name,
            }))}
            value={form.endpoint}
            placeholder={provider.data?.dialect === null ? 'The agent’s own' : 'The provider’s default'}
            onChange={(endpoint) => put({ endpoint })}
            clearable
            error={fields.endpoint_id}
            disabled={!writes || provider.data?.dialect === null}
          />
          <DirectoryInput
            label="Working directory"
            placeholder={profile.profile_home}
            value={form.directory}
            onChange={(directory) => put({ directory })}
            error={fields.working_dir}
            readOnly={!writes}
          />
          <TextInput
            label="Arguments"
            description="Quote what holds spaces."
            classNames={{ input: 'jf-mono' }}
            value={form.args}
            onChange={(event) => put({ args: event.currentTarget.value })}
            error={fields.args ?? Object.entries(fields).find(([name]) => name.startsWith('args['))?.[1]}
            readOnly={!writes}
            autoComplete="off"
          />
          <SandboxSelect
            value={form.sandbox}
            onChange={(sandbox) => put({ sandbox })}
            error={fields.sandbox}
            readOnly={!writes}
          />
          <PersistSelect
            value={form.persist}
            onChange={(persist) => put({ persist })}
            error={fields.persist}
            readOnly={!writes}
          />
          {late && (
            <ChangedElsewhere what="These settings were" onReload={() => setEdits({})} onKeep={() => setSeen(stored)} />
          )}
          {writes && (
            <Group gap="sm">
              <Button type="submit" disabled={!dirty || late} loading={change.isPending}>
                Save
              </Button>
              {dirty && (
                <Button variant="default" onClick={() => setEdits({})}>
                  Undo
                </Button>
              )}
            </Group>
          )}
        </Stack>
      </form>
      <ApiKey profile={profile} provider={provider.data} />
      <dl className={blocks.facts}>
        <dt>Home</dt>
        <dd>
          <Copyable text={profile.profile_home} label="the home directory" />
        </dd>
        <dt>Made</dt>
        <dd>
          <RelativeTime time={profile.created_at} never="unknown" />
        </dd>
        <dt>Last used</dt>
        <dd>
          <RelativeTime time={profile.last_used} />
        </dd>
      </dl>
      <Text size="sm" c="dimmed">
        Agent and provider of a profile cannot be changed; make another profile.
      </Text>
    </Stack>
  );
}

interface Form {
  model: string;
  endpoint: string | null;
  directory: string;
  args: string;
  sandbox: Detail['sandbox'];
  persist: boolean | null;
}

function formOf(profile: Detail): Form {
  return {
    model: profile.model,
    endpoint: profile.endpoint_id || null,
    directory: profile.working_dir ?? '',
    args: line(profile.args),
    sandbox: profile.sandbox,
    persist: profile.persist ?? null,
  };
}
