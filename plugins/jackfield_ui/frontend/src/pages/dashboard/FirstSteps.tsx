import { ActionIcon, Anchor, Group, Paper, Text, Title } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { Link } from 'react-router';
import { hasArea } from '../../app/pages';
import { useMay, useReachesAgents } from '../../app/session';
import { IconCircle, IconCircleCheck, IconX } from '../../icons/drawn';
import { t } from '../../language/messages';
import classes from './dashboard.module.css';
import { useProfiles, useStats, useWorkflowNames } from './queries';

/** What to do next on a new installation. Gone when all is done, or closed. */
export function FirstSteps() {
  const [closed, close] = useLocalStorage({ key: 'jackfield.first-steps', defaultValue: false });
  const may = useMay('member');
  const workflows = useWorkflowNames();
  const reaches = useReachesAgents();
  const profiles = useProfiles();
  const stats = useStats();
  if (closed || !may || workflows.isPending || profiles.isLoading || stats.isPending) return null;

  const all = [
    {
      label: t('Build a workflow'),
      area: 'workflows',
      to: '/ui/workflows?new',
      done: Boolean(workflows.data?.total),
      text: t('Connect a webhook or a schedule to the steps that follow. n8n’s files can be imported.'),
    },
    {
      label: t('Run it'),
      area: 'workflows',
      to: '/ui/workflows',
      done: Boolean(stats.data?.total),
      text: t('By hand or by calling its webhook; each node’s input and output can be looked at.'),
    },
    {
      label: t('Add a profile'),
      area: 'profiles',
      to: '/ui/profiles?new',
      done: Boolean(profiles.data?.length),
      text: t('A coding agent with its provider, model and key, ready for terminals and workflows.'),
    },
  ];
  const steps = all.filter(({ area }) => reaches || area !== 'profiles');
  if (steps.every(({ done }) => done)) return null;
  const next = steps.find(({ done }) => !done)?.label;

  return (
    <Paper p="md" component="section" aria-label={t('First steps')}>
      <Group justify="space-between" mb="sm" wrap="nowrap">
        <Title order={2}>{t('First steps')}</Title>
        <ActionIcon onClick={() => close(true)} aria-label={t('Close the first steps')}>
          <IconX size={16} />
        </ActionIcon>
      </Group>
      <ol className={classes.steps}>
        {steps.map(({ label, area, to, done, text }) => (
          <li key={label} className={classes.step} data-next={label === next || undefined}>
            <Group gap="xs" wrap="nowrap">
              {done ? (
                <IconCircleCheck size={18} color="var(--jf-good)" aria-label={t('Done:')} />
              ) : (
                <IconCircle size={18} color="var(--mantine-color-dimmed)" aria-label={t('To do:')} />
              )}
              {hasArea(area) ? (
                <Anchor component={Link} to={to} fw={550}>
                  {label}
                </Anchor>
              ) : (
                <Text fw={550}>{label}</Text>
              )}
            </Group>
            <Text size="sm" c="dimmed">
              {text}
            </Text>
          </li>
        ))}
      </ol>
    </Paper>
  );
}
