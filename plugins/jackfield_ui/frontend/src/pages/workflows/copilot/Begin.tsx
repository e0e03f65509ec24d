import { Alert, Button, Group, Stack, Textarea } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { messageOf } from '../../../api/errors';
import { areaPath } from '../../../app/areas';
import { useChatProfiles } from '../../../components/agentChat/profiles';
import { EmptyState } from '../../../components/EmptyState';
import { ProfileSelect } from '../../../components/ProfileSelect';
import { IconAlertTriangle } from '../../../icons/drawn';
import { t } from '../../../language/messages';
import { useStore } from '../model/store';
import { type Action, createDraft, startSession } from './queries';
import { QUICK, type Subject, taskOf } from './tasks';

/** Which agent, and what it is to do first. */
export function Begin({
  draft,
  subject,
  onStarted,
}: {
  /** The one that it goes on with; undefined: a new one. */
  draft: string | undefined;
  subject: Subject;
  onStarted: (draft: string, session: string) => void;
}) {
  const store = useStore();
  const profiles = useChatProfiles();
  const [kept, keep] = useLocalStorage<string | null>({ key: 'jackfield.copilot-profile', defaultValue: null });
  const [text, setText] = useState('');
  const rows = profiles.data;
  const alias = rows?.some((row) => row.alias === kept) ? kept : rows?.length === 1 ? (rows[0]?.alias ?? null) : null;
  const start = useMutation({
    mutationFn: async (action: Action) => {
      const { id, doc } = store.get();
      // What is not saved is the agent's beginning, too, and nobody has to save it for that.
      const own = draft ?? (store.dirty ? (await createDraft(id, doc)).id : undefined);
      return startSession(alias ?? '', id, own, taskOf(action, text, subject));
    },
    onSuccess: (made) => onStarted(made.draft_id, String(made.session.id)),
  });
  if (rows?.length === 0) {
    return (
      <EmptyState
        title={t('No profiles yet')}
        action={
          <Button component={Link} to={`${areaPath('profiles')}?new`}>
            {t('New profile')}
          </Button>
        }
      >
        {t('A profile has your own agent, such as Claude Code or Codex, with its model and key.')}
      </EmptyState>
    );
  }
  const isReady = alias !== null && !start.isPending;
  return (
    <Stack gap="sm">
      <ProfileSelect profiles={rows} value={alias} onChange={keep} />
      <Textarea
        label={t('Task')}
        placeholder={t('Describe what you want to build or to change')}
        autosize
        minRows={3}
        maxRows={8}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Group gap="xs">
        <Button
          size="xs"
          disabled={!isReady || !text.trim()}
          loading={start.isPending}
          onClick={() => start.mutate('build')}
        >
          {t('Build')}
        </Button>
        {QUICK.filter(({ isFor }) => isFor(subject)).map(({ action, label }) => (
          <Button key={action} size="xs" variant="default" disabled={!isReady} onClick={() => start.mutate(action)}>
            {label}
          </Button>
        ))}
      </Group>
      {start.error && (
        <Alert color="red" icon={<IconAlertTriangle />} title={t('The agent was not started')} role="alert">
          {messageOf(start.error)}
        </Alert>
      )}
    </Stack>
  );
}
