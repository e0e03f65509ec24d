import { Checkbox, MultiSelect, Stack, Switch, Text, Title } from '@mantine/core';
import { Link } from 'react-router';
import { areaPath } from '../../app/areas';
import { useMay } from '../../app/session';
import { ChangedElsewhere } from '../../components/ChangedElsewhere';
import { notifyDone, notifyError } from '../../components/notify';
import { useUnsaved } from '../../components/unsaved';
import { t } from '../../language/messages';
import classes from './profiles.module.css';
import { type Detail, useChange, useDaemonTools, useOfferedTools } from './queries';
import { SaveBar } from './SaveBar';
import { choiceOf, namesIn, scopeOf, type ToolChoice, toggled } from './toolChoice';
import { useStoredForm } from './useStoredForm';

/** What the profile's agent reaches of the daemon's MCP tools. */
export function Tools({ profile, shown }: { profile: Detail; shown: boolean }) {
  const change = useChange(profile.alias);
  const writes = useMay('member');
  const stored = choiceOf(profile.daemon_tools);
  const { form, dirty, late, take, saved, keep } = useStoredForm<ToolChoice>(stored);
  useUnsaved(dirty, t('the tools'));

  const submit = async (values: ToolChoice) => {
    try {
      const now = await change.mutateAsync({ daemon_tools: scopeOf(values) });
      saved(choiceOf(now.daemon_tools), values);
      notifyDone(t('Saved. It applies from the agent’s next start.'));
    } catch (error) {
      notifyError(error, t('It was not saved'));
    }
  };
  return (
    <form onSubmit={form.onSubmit(submit)} className={classes.form}>
      <Stack gap="lg">
        <Text size="sm" c="dimmed">
          {t(
            'The agent finds these tools in its own MCP configuration, as the server jackfield_tools. Each run has a token that reaches them alone.',
          )}
        </Text>
        <OfferedTools choice={form.values} change={form.setValues} writes={writes} shown={shown} />
        <OwnTools choice={form.values} change={form.setValues} writes={writes} shown={shown} />
        {late && (
          <ChangedElsewhere title={t('The tools were changed elsewhere')} onReload={() => take(stored)} onKeep={keep} />
        )}
        {writes && <SaveBar dirty={dirty} late={late} saving={change.isPending} onUndo={() => take(stored)} />}
      </Stack>
    </form>
  );
}

interface Part {
  choice: ToolChoice;
  change: (next: Partial<ToolChoice>) => void;
  writes: boolean;
  /** Nothing is asked for while nobody looks. */
  shown: boolean;
}

function OfferedTools({ choice, change, writes, shown }: Part) {
  const { data: offered = [] } = useOfferedTools(shown);
  const without = namesIn(choice.without);
  return (
    <Stack gap="sm" component="section" aria-labelledby="offered-tools">
      <Title order={3} id="offered-tools" fz="sm" fw={500}>
        {t('Workflows')}
      </Title>
      <Switch
        label={t('All workflows that are offered as tools')}
        description={t('Also those offered later, except those that you switch off below.')}
        checked={choice.offered}
        disabled={!writes}
        onChange={(event) => change({ offered: event.currentTarget.checked })}
      />
      {choice.offered &&
        offered.map((tool) => (
          <Checkbox
            key={tool.name}
            label={<span className="jf-mono">{tool.name}</span>}
            description={
              <>
                {tool.description} <Link to={`${areaPath('workflows')}/${tool.workflowId}`}>{tool.workflowName}</Link>
              </>
            }
            checked={!without.includes(tool.name)}
            disabled={!writes}
            onChange={() => change({ without: toggled(choice.without, tool.name) })}
          />
        ))}
      {choice.offered && offered.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('No active workflow is offered as a tool. Switch this on in the settings of a workflow.')}
        </Text>
      )}
    </Stack>
  );
}

function OwnTools({ choice, change, writes, shown }: Part) {
  const { data: tools = [] } = useDaemonTools(shown);
  return (
    <MultiSelect
      label={t('Tools of the daemon')}
      description={t('With them the agent reads, changes and runs your workflows. None unless you choose some.')}
      data={tools.map(({ name }) => name)}
      value={namesIn(choice.tools)}
      onChange={(names) => change({ tools: names.join(' ') })}
      disabled={!writes}
      searchable
      clearable
      hidePickedOptions
    />
  );
}
