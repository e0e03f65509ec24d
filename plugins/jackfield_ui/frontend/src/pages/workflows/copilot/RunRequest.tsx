import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { JsonView } from '../../../components/JsonView';
import { notifyError } from '../../../components/notify';
import { t } from '../../../language/messages';
import classes from './copilot.module.css';
import { type Draft, decideRun, draftKey } from './queries';

/** The agent may not run its draft by itself: nodes that send, send. */
export function RunRequest({ draft }: { draft: Draft }) {
  const client = useQueryClient();
  const { run } = draft;
  const decide = useMutation({
    mutationFn: (allow: boolean) => decideRun(draft.id, run?.id ?? '', allow),
    onSettled: () => client.invalidateQueries({ queryKey: draftKey(draft.id) }),
    onError: (error) => notifyError(error, t('The run is not decided')),
  });
  if (run?.state !== 'asked') return null;
  return (
    <section className={classes.run} aria-label={t('Permission to run the draft')} role="alert">
      <Text fw={600}>{t('May the agent run its draft?')}</Text>
      <Text size="sm">{t('Its nodes have real effects: a node that sends mail sends it.')}</Text>
      {run.start && <Text size="sm">{t('It begins at “{start}”.', { start: run.start })}</Text>}
      {run.until && <Text size="sm">{t('It ends at “{until}”.', { until: run.until })}</Text>}
      {run.input && (
        <details>
          <summary>{t('Input')}</summary>
          <JsonView value={run.input} label={t('Input')} depth={4} maxHeight={240} />
        </details>
      )}
      <Group gap="sm" mt="xs">
        <Button size="xs" disabled={decide.isPending} onClick={() => decide.mutate(true)}>
          {t('Run it once')}
        </Button>
        <Button size="xs" variant="default" disabled={decide.isPending} onClick={() => decide.mutate(false)}>
          {t('Refuse')}
        </Button>
      </Group>
    </section>
  );
}
