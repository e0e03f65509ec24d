import { Button, Group, Text } from '@mantine/core';
import { Composer } from '../../../components/agentChat/Composer';
import { Messages, useFollowing } from '../../../components/agentChat/Messages';
import { useChat, useChatAction, useMessages } from '../../../components/agentChat/session';
import { Failure } from '../../../components/Failure';
import { StatusBadge } from '../../../components/StatusBadge';
import { t } from '../../../language/messages';
import { Begin } from './Begin';
import classes from './copilot.module.css';
import { type Draft, tell } from './queries';
import { QUICK, type Subject, taskOf } from './tasks';

/** The conversation with the agent of a draft. */
export function Talk({
  draft,
  session,
  subject,
  onStarted,
}: {
  draft: Draft;
  session: string;
  subject: Subject;
  onStarted: (draft: string, session: string) => void;
}) {
  const chat = useChat(session);
  const { told, error, isRead } = useMessages(session);
  const foot = useFollowing(told.revision);
  const tellIt = useChatAction((action: (typeof QUICK)[number]['action']) =>
    tell(session, taskOf(action, '', subject)),
  );
  const problem = chat.error ?? error;
  const state = problem ? 'ended' : (chat.data?.state ?? 'starting');
  return (
    <>
      <div className={classes.talk}>
        {problem ? (
          <Failure error={problem} onRetry={() => void chat.refetch()} />
        ) : (
          <Messages session={session} told={told} isRead={isRead} mayAnswer />
        )}
        <div ref={foot} />
      </div>
      <div className={classes.foot}>
        {state === 'ended' ? (
          <Begin draft={draft.id} subject={subject} onStarted={onStarted} />
        ) : (
          <>
            <Group gap="xs" justify="space-between">
              <Text size="sm" c="dimmed">
                {chat.data?.profile_alias}
              </Text>
              <StatusBadge status={state} />
            </Group>
            <Group gap="xs" mt="xs" role="group" aria-label={t('Ask for')}>
              {QUICK.filter(({ isFor }) => isFor(subject)).map(({ action, label }) => (
                <Button
                  key={action}
                  size="compact-sm"
                  variant="default"
                  disabled={state !== 'idle' || tellIt.isPending}
                  onClick={() => tellIt.mutate(action)}
                >
                  {label}
                </Button>
              ))}
            </Group>
            <Composer
              session={session}
              state={state}
              onSay={(text) => tell(session, { action: 'ask', text, execution: undefined })}
            />
          </>
        )}
      </div>
    </>
  );
}
