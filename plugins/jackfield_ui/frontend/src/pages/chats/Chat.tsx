import { Button } from '@mantine/core';
import { useParams } from 'react-router';
import { api } from '../../api/client';
import { areaPath } from '../../app/areas';
import { useMay } from '../../app/session';
import { Composer } from '../../components/agentChat/Composer';
import { Messages, useFollowing } from '../../components/agentChat/Messages';
import { CHAT, ofChat, say, useChat, useChatAction, useMessages } from '../../components/agentChat/session';
import { confirm } from '../../components/confirm';
import { Failure } from '../../components/Failure';
import { Page } from '../../components/Page';
import { StatusBadge } from '../../components/StatusBadge';
import { t } from '../../language/messages';

const CRUMBS = [{ label: t('Chats'), to: areaPath('chats') }];

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
    const body = t('The agent and all its processes end. You can resume it under its own name.');
    if (await confirm({ title: t('End this chat?'), body, action: t('End the chat') })) end.mutate();
  };

  return (
    <Page
      title={chat.data ? t('Chat with {profileAlias}', { profileAlias: chat.data.profile_alias }) : t('Chat')}
      badge={chat.data && <StatusBadge status={state} />}
      crumbs={CRUMBS}
      subtitle={
        chat.data && t('{agentId} in {workingDir}', { agentId: chat.data.agent_id, workingDir: chat.data.working_dir })
      }
      actions={
        writes &&
        chat.data &&
        state !== 'ended' && (
          <Button variant="default" onClick={() => void finish()} loading={end.isPending}>
            {t('End')}
          </Button>
        )
      }
    >
      {problem ? (
        <Failure error={problem} onRetry={() => void chat.refetch()} />
      ) : (
        <>
          <Messages session={id} told={told} isRead={isRead} mayAnswer={writes} />
          {writes && state !== 'ended' && <Composer session={id} state={state} onSay={(text) => say(id, text)} />}
          <div ref={foot} />
        </>
      )}
    </Page>
  );
}
