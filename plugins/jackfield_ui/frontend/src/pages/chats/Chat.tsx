import { Button, Group, Textarea } from '@mantine/core';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useParams } from 'react-router';
import { api } from '../../api/client';
import { areaPath } from '../../app/areas';
import { useMay } from '../../app/session';
import { confirm } from '../../components/confirm';
import { Failure } from '../../components/Failure';
import { Page } from '../../components/Page';
import { StatusBadge } from '../../components/StatusBadge';
import classes from './chats.module.css';
import { Message } from './Message';
import { CHAT, ofChat, useChat, useChatAction, useMessages } from './queries';

/** Pixels below the window in which the end of the messages counts as being read. */
const NEAR = 400;
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  idle: 'Say something to the agent',
  asking: 'The agent waits for your permission',
};
const CRUMBS = [{ label: 'Chats', to: areaPath('chats') }];

export default function Chat() {
  const { id = '' } = useParams();
  return <Conversation key={id} id={id} />;
}

function Conversation({ id }: { id: string }) {
  const chat = useChat(id);
  const { told, error, isRead } = useMessages(id);
  const writes = useMay('member');
  const end = useChatAction(() => api.DELETE(CHAT, ofChat(id)));
  const foot = useFollowing(told.revision);
  const problem = chat.error ?? error;
  const state = chat.data?.state ?? 'starting';
  const finish = async () => {
    const body = 'The agent and all that it has started are ended. It can be resumed under its own name.';
    if (await confirm({ title: 'End this chat?', body, action: 'End the chat' })) end.mutate();
  };

  return (
    <Page
      title={chat.data ? `Chat with ${chat.data.profile_alias}` : 'Chat'}
      badge={chat.data && <StatusBadge status={state} />}
      crumbs={CRUMBS}
      subtitle={chat.data && `${chat.data.agent_id} in ${chat.data.working_dir}`}
      actions={
        writes &&
        chat.data &&
        state !== 'ended' && (
          <Button variant="default" onClick={() => void finish()} loading={end.isPending}>
            End
          </Button>
        )
      }
    >
      {problem ? (
        <Failure error={problem} onRetry={() => void chat.refetch()} />
      ) : (
        <>
          <ol className={classes.messages} aria-label="Messages" aria-busy={!isRead} aria-live="polite">
            {told.messages.map((one) => (
              <li key={one.id} style={{ display: 'contents' }}>
                <Message session={id} shown={one} mayAnswer={writes} />
              </li>
            ))}
          </ol>
          {writes && state !== 'ended' && <Composer id={id} state={state} />}
          <div ref={foot} />
        </>
      )}
    </Page>
  );
}

/** An element that stays in sight as what is above it grows, unless the reader has left it. */
function useFollowing(revision: number) {
  const foot = useRef<HTMLDivElement>(null);
  const seen = useRef(0);
  useEffect(() => {
    const top = foot.current?.getBoundingClientRect().top ?? 0;
    if (seen.current === 0 || top < window.innerHeight + NEAR) foot.current?.scrollIntoView({ block: 'end' });
    seen.current = revision;
  }, [revision]);
  return foot;
}

/** Enter sends, Shift with Enter begins a new line. */
function Composer({ id, state }: { id: string; state: string }) {
  const [text, setText] = useState('');
  const say = useChatAction(async (said: string) => {
    await api.POST('/api/agent-sessions/{session_id}/messages', { ...ofChat(id), body: { text: said } });
    setText('');
  });
  const interrupt = useChatAction(() => api.POST('/api/agent-sessions/{session_id}/interrupt', ofChat(id)));
  const isReady = state === 'idle' && text.trim() !== '' && !say.isPending;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (isReady) say.mutate(text);
  };
  return (
    <div className={classes.composer}>
      <Textarea
        aria-label="Message"
        placeholder={PLACEHOLDERS[state] ?? 'The agent is at work'}
        autosize
        minRows={2}
        maxRows={10}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <Group justify="flex-end" gap="sm" mt="xs">
        {(state === 'working' || state === 'asking') && (
          <Button variant="default" onClick={() => interrupt.mutate()} loading={interrupt.isPending}>
            Interrupt
          </Button>
        )}
        <Button disabled={!isReady} onClick={() => say.mutate(text)}>
          Send
        </Button>
      </Group>
    </div>
  );
}
