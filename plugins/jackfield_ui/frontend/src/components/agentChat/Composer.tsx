import { Button, Group, Textarea } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { api } from '../../api/client';
import { t } from '../../language/messages';
import classes from './agentChat.module.css';
import { ofChat, useChatAction } from './session';

const PLACEHOLDERS: Readonly<Record<string, string>> = {
  idle: t('Say something to the agent'),
  asking: t('The agent waits for your permission'),
};

/** Enter sends, Shift with Enter begins a new line. `onSay`: refused, the text stays. */
export function Composer({
  session,
  state,
  onSay,
}: {
  session: string;
  state: string;
  onSay: (text: string) => Promise<unknown>;
}) {
  const [text, setText] = useState('');
  const say = useChatAction(async (said: string) => {
    await onSay(said);
    setText('');
  });
  const interrupt = useChatAction(() => api.POST('/api/agent-sessions/{session_id}/interrupt', ofChat(session)));
  const isReady = state === 'idle' && text.trim() !== '' && !say.isPending;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (isReady) say.mutate(text);
  };
  return (
    <div className={classes.composer}>
      <Textarea
        aria-label={t('Message')}
        placeholder={PLACEHOLDERS[state] ?? t('The agent is at work')}
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
            {t('Interrupt')}
          </Button>
        )}
        <Button disabled={!isReady} onClick={() => say.mutate(text)}>
          {t('Send')}
        </Button>
      </Group>
    </div>
  );
}
