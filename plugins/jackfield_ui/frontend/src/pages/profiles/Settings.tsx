import { Autocomplete, Select, Stack, Text, TextInput } from '@mantine/core';
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
import { t } from '../../language/messages';
import { ApiKey } from './ApiKey';
import { ApprovalsSelect, PersistSelect, SandboxSelect } from './Choices';
import classes from './profiles.module.css';
import { type AgentDetail, type Detail, useChange, useProvider } from './queries';
import { SaveBar } from './SaveBar';
import { useStoredForm } from './useStoredForm';

/** Model, endpoint, directory, arguments, sandbox, and the key. */
export function Settings({ profile, agent }: { profile: Detail; agent: AgentDetail | undefined }) {
  const provider = useProvider(profile.provider_id);
  const change = useChange(profile.alias);
  const writes = useMay('member');
  const stored = formOf(profile);
  const { form, dirty, late, take, saved, keep } = useStoredForm(stored);
  useUnsaved(dirty, t('this profile'));

  const submit = async (values: Form) => {
    const changed: Record<string, unknown> = {};
    if (values.model !== stored.model) changed.model = values.model.trim() || null;
    if (values.endpoint !== stored.endpoint) changed.endpoint_id = values.endpoint;
    if (values.directory !== stored.directory) changed.working_dir = values.directory.trim() || null;
    if (values.args !== stored.args) changed.args = words(values.args);
    if (values.sandbox !== stored.sandbox) changed.sandbox = values.sandbox;
    if (values.persist !== stored.persist) changed.persist = values.persist;
    if (values.approvals !== stored.approvals) changed.approvals = values.approvals;
    try {
      const now = await change.mutateAsync(changed);
      saved(formOf(now), values);
      notifyDone(now.warning ?? t('Saved.'));
    } catch (error) {
      const fields = error instanceof ApiError ? error.fields : {};
      if (Object.keys(fields).length) form.setErrors(errorsOf(fields));
      else notifyError(error, t('It was not saved'));
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
      <form onSubmit={form.onSubmit(submit)}>
        <Stack>
          <Autocomplete
            label={t('Model')}
            openOnFocus={false}
            data={models}
            placeholder={t('The default')}
            readOnly={!writes}
            {...form.getInputProps('model')}
          />
          <Select
            label={t('Endpoint')}
            data={Object.entries(provider.data?.endpoints ?? { [profile.endpoint_id]: '' }).map(([name, url]) => ({
              value: name,
              label: url ? `${name}: ${url}` : name,
            }))}
            placeholder={provider.data?.dialect === null ? t('The agent’s own') : t('The provider’s default')}
            clearable
            disabled={!writes || provider.data?.dialect === null}
            {...form.getInputProps('endpoint')}
          />
          <DirectoryInput
            label={t('Working directory')}
            placeholder={profile.profile_home}
            readOnly={!writes}
            {...form.getInputProps('directory')}
            value={form.values.directory}
          />
          <TextInput
            label={t('Arguments')}
            description={t('Quote what holds spaces.')}
            classNames={{ input: 'jf-mono' }}
            readOnly={!writes}
            autoComplete="off"
            {...form.getInputProps('args')}
          />
          <SandboxSelect readOnly={!writes} {...form.getInputProps('sandbox')} value={form.values.sandbox} />
          <PersistSelect readOnly={!writes} {...form.getInputProps('persist')} value={form.values.persist} />
          {(agent?.supports_approvals || stored.approvals) && (
            <ApprovalsSelect readOnly={!writes} {...form.getInputProps('approvals')} value={form.values.approvals} />
          )}
          {late && (
            <ChangedElsewhere
              title={t('These settings were changed elsewhere')}
              onReload={() => take(stored)}
              onKeep={keep}
            />
          )}
          {writes && <SaveBar dirty={dirty} late={late} saving={change.isPending} onUndo={() => take(stored)} />}
        </Stack>
      </form>
      <ApiKey profile={profile} provider={provider.data} />
      <dl className={blocks.facts}>
        <dt>{t('Home')}</dt>
        <dd>
          <Copyable text={profile.profile_home} label={t('the home directory')} />
        </dd>
        <dt>{t('Made')}</dt>
        <dd>
          <RelativeTime time={profile.created_at} never={t('unknown')} />
        </dd>
        <dt>{t('Last used')}</dt>
        <dd>
          <RelativeTime time={profile.last_used} />
        </dd>
      </dl>
      <Text size="sm" c="dimmed">
        {t('Agent and provider of a profile cannot be changed; make another profile.')}
      </Text>
    </Stack>
  );
}

type Form = {
  model: string;
  endpoint: string | null;
  directory: string;
  args: string;
  sandbox: Detail['sandbox'];
  persist: boolean | null;
  approvals: 'inbox' | null;
};

/** By the names of the form, what the daemon says by its own. */
function errorsOf(fields: Readonly<Record<string, string>>): Record<string, string> {
  const { endpoint_id: endpoint, working_dir: directory, ...others } = fields;
  const args = others.args ?? Object.entries(fields).find(([name]) => name.startsWith('args['))?.[1];
  const named = { ...others, endpoint, directory, args };
  return Object.fromEntries(Object.entries(named).flatMap(([name, why]) => (why ? [[name, why]] : [])));
}

function formOf(profile: Detail): Form {
  return {
    model: profile.model,
    endpoint: profile.endpoint_id || null,
    directory: profile.working_dir ?? '',
    args: line(profile.args),
    sandbox: profile.sandbox,
    persist: profile.persist ?? null,
    approvals: profile.approvals ?? null,
  };
}
