import { Alert, Anchor, Button, Checkbox, Group, Stack, Stepper, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { Link } from 'react-router';
import { ApiError, messageOf } from '../../api/errors';
import { areaPath } from '../../app/areas';
import { Modal } from '../../components/Modal';
import { notifyDone } from '../../components/notify';
import { words } from '../../components/words';
import { IconAlertTriangle } from '../../icons/drawn';
import { rich, t } from '../../language/messages';
import { AgentStep, NameStep, ProviderStep } from './CreateSteps';
import { type Draft, EMPTY, stepOf } from './draft';
import { aliasProblem, envOf, proposedAlias } from './model';
import { useAgent, useAgents, useCreate, useProfiles, useProvider } from './queries';
import { TemplateSelect } from './TemplateSelect';

/** A profile in three steps; what the daemon refuses is shown at its field, in its step. */
export function Create({
  agent,
  onClose,
  onCreated,
}: {
  agent?: string | undefined;
  onClose: () => void;
  onCreated: (alias: string) => void;
}) {
  const form = useForm<Draft>({ initialValues: { ...EMPTY, agent } });
  const draft = form.values;
  const [step, setStep] = useState(agent ? 1 : 0);
  const [missing, setMissing] = useState(false);
  const agents = useAgents();
  const profiles = useProfiles();
  const detail = useAgent(draft.agent);
  const provider = useProvider(draft.provider);
  const create = useCreate();
  const fields = create.error instanceof ApiError ? create.error.fields : {};
  const chosen = agents.data?.find(({ id }) => id === draft.agent);
  const alias =
    draft.alias ??
    proposedAlias(
      draft.agent ?? '',
      draft.provider ?? '',
      (profiles.data ?? []).map((row) => row.alias),
    );
  const problem = aliasProblem(alias);
  const put = (change: Partial<Draft>) => {
    form.setValues(change);
    if (create.error) create.reset();
  };
  const ready = [Boolean(chosen && (chosen.installed || missing)), Boolean(draft.provider), !problem][step];

  const submit = async () => {
    if (!ready) return;
    const { agent, provider } = draft;
    if (step < 2 || !agent || !provider) {
      setStep(step + 1);
      return;
    }
    const { env, pairs, valid } = envOf(draft.env);
    if (!valid) {
      put({ env: pairs });
      return;
    }
    try {
      const made = await create.mutateAsync({
        agent_id: agent,
        provider_id: provider,
        alias,
        // Said in any case, since a template counts where nothing is said.
        ...(draft.template ? { template: draft.template } : {}),
        endpoint_id: draft.endpoint,
        model: draft.model.trim() || null,
        working_dir: draft.directory.trim() || null,
        args: words(draft.args),
        env,
        ...(draft.key ? { api_key: draft.key } : {}),
        sandbox: draft.sandbox,
        persist: draft.persist,
        shim: draft.shim,
        allow_missing: missing,
      });
      notifyDone(made.warning ?? t('The profile {alias} was created.', { alias: made.alias }));
      onCreated(made.alias);
    } catch (error) {
      if (error instanceof ApiError) setStep(stepOf(error));
    }
  };

  return (
    <Modal opened onClose={onClose} title={t('New profile')} size="lg">
      <form onSubmit={form.onSubmit(() => submit())}>
        <Stepper active={step} onStepClick={(to) => to < step && setStep(to)} size="xs" mb="md">
          <Stepper.Step label={t('Agent')} allowStepSelect={step > 0} />
          <Stepper.Step label={t('Provider')} allowStepSelect={step > 1} />
          <Stepper.Step label={t('Name')} allowStepSelect={false} />
        </Stepper>
        <Stack>
          {step === 0 && (
            <>
              <TemplateSelect draft={draft} put={put} error={fields.template} />
              <AgentStep agents={agents} draft={draft} put={put} error={fields.agent_id} />
              {chosen && !chosen.installed && (
                <>
                  <Text size="sm">
                    {rich(
                      '{name} is not installed here. Follow its maker’s instructions, so that Jackfield finds {binary}; see <link>Agents</link>.',
                      {
                        name: chosen.name,
                        binary: <span className="jf-mono">{detail.data?.binary ?? chosen.id}</span>,
                        link: (inner) => (
                          <Anchor component={Link} to={areaPath('agents')}>
                            {inner}
                          </Anchor>
                        ),
                      },
                    )}
                  </Text>
                  <Checkbox
                    label={t('Create the profile anyway')}
                    checked={missing}
                    onChange={(event) => setMissing(event.currentTarget.checked)}
                  />
                </>
              )}
            </>
          )}
          {step === 1 && (
            <ProviderStep agent={detail.data} provider={provider.data} draft={draft} put={put} fields={fields} />
          )}
          {step === 2 && (
            <NameStep
              alias={alias}
              draft={draft}
              put={put}
              fields={fields}
              problem={draft.alias === undefined ? undefined : problem}
            />
          )}
          {create.error && (
            <Alert color="red" icon={<IconAlertTriangle />} title={t('The profile was not created')} role="alert">
              {messageOf(create.error)}
              {Object.entries(fields).map(([name, why]) => (
                <div key={name}>
                  {name}: {why}
                </div>
              ))}
            </Alert>
          )}
          <Group justify="space-between" gap="sm">
            <Button variant="default" onClick={() => (step ? setStep(step - 1) : onClose())}>
              {step ? t('Back') : t('Cancel')}
            </Button>
            <Button type="submit" disabled={!ready} loading={create.isPending}>
              {step < 2 ? t('Next') : t('Create the profile')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
