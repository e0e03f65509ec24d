import {
  Anchor,
  Autocomplete,
  Button,
  Checkbox,
  Collapse,
  PasswordInput,
  Radio,
  Select,
  Skeleton,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import type { Agent } from '../../api/types';
import { areaPath } from '../../app/areas';
import { DirectoryInput } from '../../components/DirectoryInput';
import { Failure } from '../../components/Failure';
import { KeyValueEditor } from '../../components/KeyValueEditor';
import { phrases, sentences, t } from '../../language/messages';
import { PersistSelect, SandboxSelect } from './Choices';
import type { Draft } from './draft';
import { fits } from './model';
import classes from './profiles.module.css';
import { type AgentDetail, type ProviderDetail, useProviders } from './queries';

interface StepProps {
  draft: Draft;
  put: (change: Partial<Draft>) => void;
}

export function AgentStep({
  agents,
  draft,
  put,
  error,
}: StepProps & {
  agents: { data: Agent[] | undefined; error: unknown; refetch: () => unknown };
  error: string | undefined;
}) {
  if (agents.error && !agents.data) return <Failure error={agents.error} onRetry={() => void agents.refetch()} />;
  if (!agents.data) return <Skeleton height={240} />;
  const sorted = [...agents.data].sort(
    (a, b) => Number(b.installed) - Number(a.installed) || a.name.localeCompare(b.name),
  );
  return (
    <Radio.Group
      label={t('Choose an agent')}
      value={draft.agent ?? null}
      onChange={(agent) => put({ agent, provider: undefined, model: '', endpoint: null })}
      error={error}
    >
      <div className={classes.cards}>
        {sorted.map(({ id, name, installed, version }) => (
          <div key={id} className={classes.card} data-chosen={draft.agent === id || undefined}>
            <Radio
              value={id}
              label={name}
              description={installed ? phrases(t('installed'), version) : t('not installed')}
            />
          </div>
        ))}
      </div>
    </Radio.Group>
  );
}

export function ProviderStep({
  agent,
  provider,
  draft,
  put,
  fields,
}: StepProps & {
  agent: AgentDetail | undefined;
  provider: ProviderDetail | undefined;
  fields: Readonly<Record<string, string>>;
}) {
  const providers = useProviders();
  const names = (providers.data ?? [])
    .filter((row) => fits(agent, row))
    .map(({ id, name }) => ({ value: id, label: name }));
  const others = (providers.data ?? [])
    .filter((row) => !fits(agent, row))
    .map(({ id, name }) => ({ value: id, label: t('{name} (through a proxy only)', { name }) }));
  const endpoints = Object.entries(provider?.endpoints ?? {});
  const { auth } = provider ?? {};
  return (
    <>
      <Select
        label={t('Choose a provider')}
        required
        searchable
        openOnFocus={false}
        data-autofocus
        placeholder={providers.data ? t('Choose') : t('Reading…')}
        data={[...names, ...others]}
        value={draft.provider ?? null}
        onChange={(id) => put({ provider: id ?? undefined, model: '', endpoint: null })}
        error={fields.provider_id}
      />
      <Anchor component={Link} size="sm" to={`${areaPath('agents')}?tab=providers&new`}>
        {t('Add a provider that is not listed')}
      </Anchor>
      {endpoints.length > 1 && (
        <Select
          label={t('Endpoint')}
          data={endpoints.map(([name, url]) => ({ value: name, label: `${name}: ${url}` }))}
          placeholder={provider?.default_endpoint}
          value={draft.endpoint}
          onChange={(endpoint) => put({ endpoint })}
          clearable
          error={fields.endpoint_id}
        />
      )}
      {provider && (
        <Autocomplete
          label={t('Model')}
          openOnFocus={false}
          placeholder={provider.default_model ?? agent?.default_model ?? t('The agent’s own')}
          data={[
            ...new Set([...provider.models, ...(provider.dialect === null ? (agent?.supported_models ?? []) : [])]),
          ]}
          value={draft.model}
          onChange={(model) => put({ model })}
          error={fields.model}
        />
      )}
      {auth && provider?.dialect !== null && (
        <PasswordInput
          label={auth.prompt || t('API key')}
          description={
            auth.required
              ? sentences(
                  t('Kept in the keyring or encrypted, never shown again.'),
                  auth.env_key && t('Without one the daemon’s {envKey} is used.', { envKey: auth.env_key }),
                )
              : t('This provider needs none.')
          }
          autoComplete="off"
          value={draft.key}
          onChange={(event) => put({ key: event.currentTarget.value })}
          error={fields.api_key}
        />
      )}
      {provider?.dialect === null && (
        <Text size="sm" c="dimmed">
          {t('You log in with the agent itself, once, inside of the profile.')}
        </Text>
      )}
    </>
  );
}

export function NameStep({
  alias,
  draft,
  put,
  fields,
  problem,
}: StepProps & { alias: string; fields: Readonly<Record<string, string>>; problem: string | undefined }) {
  const [more, setMore] = useState(false);
  return (
    <>
      <TextInput
        label={t('Name')}
        required
        data-autofocus
        autoComplete="off"
        value={alias}
        onChange={(event) => put({ alias: event.currentTarget.value })}
        error={problem ?? fields.alias}
      />
      <DirectoryInput
        label={t('Working directory')}
        placeholder={t('The profile’s home')}
        value={draft.directory}
        onChange={(directory) => put({ directory })}
        error={fields.working_dir}
      />
      <Checkbox
        label={t('Make a command “{alias}” for your shell', { alias })}
        checked={draft.shim}
        onChange={(event) => put({ shim: event.currentTarget.checked })}
      />
      <Button
        variant="subtle"
        size="compact-sm"
        aria-expanded={more}
        onClick={() => setMore(!more)}
        style={{ alignSelf: 'flex-start' }}
      >
        {more ? t('Fewer options') : t('More options')}
      </Button>
      <Collapse expanded={more}>
        <Stack>
          <SandboxSelect value={draft.sandbox} onChange={(sandbox) => put({ sandbox })} error={fields.sandbox} />
          <PersistSelect value={draft.persist} onChange={(persist) => put({ persist })} error={fields.persist} />
          <TextInput
            label={t('Arguments')}
            description={t('Quote what holds spaces.')}
            classNames={{ input: 'jf-mono' }}
            autoComplete="off"
            value={draft.args}
            onChange={(event) => put({ args: event.currentTarget.value })}
            error={fields.args}
          />
          <KeyValueEditor
            label={t('Environment')}
            description={t('Stored unencrypted: put secrets in the API key instead.')}
            addLabel={t('Add a variable')}
            pairs={draft.env}
            onChange={(env) => put({ env })}
          />
        </Stack>
      </Collapse>
    </>
  );
}
