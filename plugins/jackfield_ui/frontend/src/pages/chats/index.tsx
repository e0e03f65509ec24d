import { Anchor, Button, Group, Text } from '@mantine/core';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { segment } from '../../api/client';
import type { AgentSession } from '../../api/types';
import { areaPath } from '../../app/areas';
import { useMay } from '../../app/session';
import { type Column, DataTable } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { Page } from '../../components/Page';
import { projectColumnsBy } from '../../components/projects/ProjectBadge';
import { useProjectsInUse } from '../../components/projects/queries';
import { useBelonging } from '../../components/projects/rights';
import { StatusBadge } from '../../components/StatusBadge';
import { RelativeTime } from '../../components/values';
import { IconMessages, IconPlus } from '../../icons/drawn';
import { rich, t } from '../../language/messages';
import { NewChat } from './NewChat';
import { useChats } from './queries';

const NO_PROFILES: readonly string[] = [];
const profileOf = ({ profile_alias }: AgentSession) => profile_alias;
const address = (id: string) => `${areaPath('chats')}/${segment(id)}`;

export default function Chats() {
  const chats = useChats();
  const inUse = useProjectsInUse();
  const belonging = useBelonging('profile', chats.data?.map(profileOf) ?? NO_PROFILES);
  const navigate = useNavigate();
  const writes = useMay('member');
  const [search, setSearch] = useSearchParams();
  const ask = (wanted: boolean) => setSearch(wanted ? { new: '' } : {}, { replace: true });
  const newButton = writes && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => ask(true)}>
      {t('New chat')}
    </Button>
  );
  return (
    <Page
      title={t('Chats')}
      subtitle={t('Agents that are spoken to in their own protocols: messages, tools, and permissions that you give.')}
      actions={chats.data && chats.data.length > 0 && newButton}
    >
      <DataTable
        label={t('Agent sessions')}
        columns={[...COLUMNS, ...projectColumnsBy(profileOf, inUse, belonging)]}
        rows={chats.data}
        rowKey={({ id }) => id}
        rowName={({ profile_alias }) => profile_alias}
        error={chats.error}
        onRetry={() => void chats.refetch()}
        onOpen={({ id }) => void navigate(address(id))}
        textOf={({ id, profile_alias, agent_id, state }) => [profile_alias, id, agent_id, state].join(' ')}
        initialSort={{ key: 'created', descending: true }}
        empty={
          <EmptyState icon={IconMessages} title={t('No chat')} action={newButton}>
            {rich('Talk with a profile’s agent here, or with {command}.', {
              command: <span className="jf-mono">jackfield chat PROFILE</span>,
            })}
          </EmptyState>
        }
      />
      {search.has('new') && writes && (
        <NewChat
          profile={search.get('profile') ?? undefined}
          onOpen={(id) => void navigate(address(id))}
          onClose={() => ask(false)}
        />
      )}
    </Page>
  );
}

const COLUMNS: Column<AgentSession>[] = [
  {
    key: 'profile',
    title: t('Chat'),
    primary: true,
    sort: ({ profile_alias }) => profile_alias,
    render: ({ id, profile_alias }) => (
      <Group gap="xs" wrap="nowrap">
        <Anchor component={Link} to={address(id)} c="inherit" inherit>
          {profile_alias}
        </Anchor>
        <Text span size="xs" c="dimmed" className="jf-mono">
          {id.slice(0, 8)}
        </Text>
      </Group>
    ),
  },
  { key: 'agent', title: t('Agent'), sort: ({ agent_id }) => agent_id, render: ({ agent_id }) => agent_id },
  {
    key: 'state',
    title: t('State'),
    sort: ({ state }) => state,
    render: ({ state, reason }) => (
      <>
        <StatusBadge status={state} />
        {reason && (
          <Text size="xs" c="dimmed" lineClamp={2}>
            {reason}
          </Text>
        )}
      </>
    ),
  },
  {
    key: 'created',
    title: t('Started'),
    sort: ({ created_at }) => created_at,
    render: ({ created_at }) => <RelativeTime time={created_at} />,
  },
];
