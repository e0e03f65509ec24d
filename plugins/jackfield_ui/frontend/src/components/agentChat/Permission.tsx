import { Button, Group, Text } from '@mantine/core';
import { api } from '../../api/client';
import type { Schemas } from '../../api/types';
import { rich, t } from '../../language/messages';
import { visible, visibleInput } from '../visible';
import classes from './agentChat.module.css';
import { useChatAction } from './session';

/** A request for a permission, with the agent's own options while it is open. */
export function Permission({
  session,
  asked,
  mayAnswer,
}: {
  session: string;
  asked: Schemas['PermissionAsked'];
  mayAnswer: boolean;
}) {
  const answer = useChatAction((option: string) =>
    api.POST('/api/agent-sessions/{session_id}/permissions/{permission_id}', {
      params: { path: { session_id: session, permission_id: asked.id } },
      body: { option },
    }),
  );
  const isOpen = asked.state === 'open';
  const chosen = asked.options.find(({ id }) => id === asked.answer);
  return (
    <section
      className={`${classes.block} ${isOpen ? classes.open : ''}`}
      aria-label={t('Permission for {tool}', { tool: asked.tool })}
    >
      <Text fw={600}>
        {rich('May it use {visible}?', { visible: <span className="jf-mono">{visible(asked.tool)}</span> })}
      </Text>
      {asked.title && <Text className={classes.text}>{visible(asked.title)}</Text>}
      <pre className={`${classes.output} jf-mono`} tabIndex={0} role="group" aria-label={t('Input')}>
        {visibleInput(asked.input)}
      </pre>
      {isOpen && asked.cut && (
        <Text size="sm">
          {t('The request is longer than agent_sessions.message_limit and is not shown whole: you can only reject it.')}
        </Text>
      )}
      {isOpen ? (
        <Group gap="sm" mt="sm">
          {asked.options.map(({ id, name, kind }) => (
            <Button
              key={id}
              variant={kind === 'allow_once' ? 'filled' : 'default'}
              disabled={!mayAnswer || answer.isPending || (asked.cut && kind.startsWith('allow'))}
              onClick={() => answer.mutate(id)}
            >
              {name}
            </Button>
          ))}
        </Group>
      ) : (
        <Text c="dimmed" size="sm" mt="xs">
          {asked.state === 'answered' ? t('Answered: {name}', { name: chosen?.name ?? asked.answer }) : t('Withdrawn')}
        </Text>
      )}
    </section>
  );
}
