import { ActionIcon, Anchor, Button, Group, Menu, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { api, segment } from '../../api/client';
import type { TerminalSession } from '../../api/types';
import { areaPath } from '../../app/areas';
import { useMay } from '../../app/session';
import { confirm } from '../../components/confirm';
import { type Column, DataTable } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { notifyError } from '../../components/notify';
import { Page } from '../../components/Page';
import { projectColumns } from '../../components/projects/ProjectBadge';
import { useProjectsInUse } from '../../components/projects/queries';
import { StatusBadge } from '../../components/StatusBadge';
import { withHost } from '../../components/table/hosts';
import { RelativeTime } from '../../components/values';
import { IconDots, IconPlus, IconTerminal2 } from '../../icons/drawn';
import { rich, t } from '../../language/messages';
import { NewSession } from './NewSession';
import { useBelongingOfSessions } from './project';
import { endSession, ofProfile, sessionName, useSessionAction, useSessions, useStart } from './queries';
import { Recording } from './Recording';
import { ShareDialog } from './ShareDialog';

const NO_SESSIONS: readonly TerminalSession[] = [];
const address = (id: string) => `${areaPath('terminals')}/${segment(id)}`;

export default function Terminals() {
  const sessions = useSessions();
  const columns = useMemo(() => withHost(COLUMNS, sessions.data), [sessions.data]);
  const inUse = useProjectsInUse();
  const belonging = useBelongingOfSessions(sessions.data ?? NO_SESSIONS);
  const navigate = useNavigate();
  const client = useQueryClient();
  const writes = useMay('member');
  const [search, setSearch] = useSearchParams();
  const [sharing, share] = useState<TerminalSession>();
  const asking = search.has('new') && writes;
  const ended = sessions.data?.filter(({ state }) => state !== 'running').length ?? 0;
  const cleanUp = useMutation({
    mutationFn: () => api.POST('/api/terminal/cleanup'),
    onSuccess: () => client.invalidateQueries({ queryKey: ['sessions'] }),
    onError: (error) => notifyError(error),
  });
  const tidy = async () => {
    const title = t('{ended, plural, one {Forget the ended session?} other {Forget the # ended sessions?}}', { ended });
    const body = t('Their output and their recordings are deleted. Running sessions stay.');
    if (await confirm({ title, body, action: t('Forget') })) cleanUp.mutate();
  };
  const ask = (wanted: boolean) => setSearch(wanted ? { new: '' } : {}, { replace: true });
  const newButton = writes && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => ask(true)}>
      {t('New session')}
    </Button>
  );

  return (
    <Page
      title={t('Terminals')}
      subtitle={t(
        'Agents and shells that run in a terminal. They go on when you leave, and others can look or type along.',
      )}
      actions={
        <>
          {ended > 0 && writes && (
            <Button variant="default" onClick={() => void tidy()}>
              {t('Forget ended')}
            </Button>
          )}
          {sessions.data && sessions.data.length > 0 && newButton}
        </>
      }
    >
      <DataTable
        label={t('Terminal sessions')}
        columns={[...columns, ...projectColumns<TerminalSession>(inUse, belonging)]}
        rows={sessions.data}
        rowKey={({ id }) => id}
        rowName={sessionName}
        error={sessions.error}
        onRetry={() => void sessions.refetch()}
        onOpen={({ id }) => void navigate(address(id))}
        textOf={textOf}
        initialSort={{ key: 'created', descending: true }}
        rowActions={(row) => <RowMenu row={row} onShare={() => share(row)} />}
        empty={
          <EmptyState icon={IconTerminal2} title={t('No terminal session')} action={newButton}>
            {rich('Start a profile’s agent or a shell here, or with {command}; both show the same sessions.', {
              command: <span className="jf-mono">jackfield terminal new PROFILE</span>,
            })}
          </EmptyState>
        }
      />
      {asking && (
        <NewSession
          profile={search.get('profile') ?? undefined}
          onOpen={(id) => void navigate(address(id))}
          onClose={() => ask(false)}
        />
      )}
      {sharing && (
        <ShareDialog id={sharing.id} name={sessionName(sharing)} onClose={() => share(undefined)} onEnded={() => {}} />
      )}
    </Page>
  );
}

const textOf = (row: TerminalSession) => [sessionName(row), row.id, row.state, row.host].join(' ');

const COLUMNS: Column<TerminalSession>[] = [
  {
    key: 'profile',
    title: t('Session'),
    primary: true,
    sort: sessionName,
    render: ({ id, profile_alias, recording }) => (
      <Group gap="xs" wrap="nowrap">
        <Anchor component={Link} to={address(id)} c="inherit" inherit>
          {sessionName({ profile_alias })}
        </Anchor>
        <Text span size="xs" c="dimmed" className="jf-mono">
          {id.slice(0, 8)}
        </Text>
        <Recording recording={recording ?? undefined} />
      </Group>
    ),
  },
  {
    key: 'state',
    title: t('State'),
    sort: ({ state }) => state,
    render: ({ state, exit_code, reason }) => (
      <>
        <StatusBadge
          status={state}
          {...(state === 'terminated' && exit_code != null
            ? { label: t('Ended ({exitCode})', { exitCode: exit_code }), tone: exit_code ? 'warn' : 'still' }
            : {})}
        />
        {reason && (
          <Text size="xs" c="dimmed">
            {reason}
          </Text>
        )}
      </>
    ),
  },
  {
    key: 'size',
    title: t('Size'),
    render: ({ cols, rows }) => (
      <span className="jf-nowrap">
        {cols} × {rows}
      </span>
    ),
  },
  {
    key: 'clients',
    title: t('Clients'),
    align: 'end',
    sort: ({ client_count }) => client_count,
    render: ({ client_count }) => client_count,
  },
  {
    key: 'kept',
    title: t('After a restart'),
    render: ({ persistent, state }) => (state === 'running' ? (persistent ? t('goes on') : t('ends')) : '–'),
  },
  {
    key: 'created',
    title: t('Started'),
    sort: ({ created_at }) => created_at,
    render: ({ created_at }) => <RelativeTime time={created_at} />,
  },
];

function RowMenu({ row, onShare }: { row: TerminalSession; onShare: () => void }) {
  const navigate = useNavigate();
  const writes = useMay('member');
  const start = useStart();
  const end = useSessionAction(endSession, row.id);
  const running = row.state === 'running';
  const finish = async () => {
    const title = t('End the session of “{sessionName}”?', { sessionName: sessionName(row) });
    const body = t('Jackfield asks it to end, and kills it if it does not.');
    if (await confirm({ title, body, action: t('End the session') })) end.mutate();
  };
  const again = () =>
    start.mutate(
      { ...ofProfile(row), cols: row.cols, rows: row.rows },
      { onSuccess: (id) => void navigate(address(id)), onError: (error) => notifyError(error) },
    );
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon
          aria-label={t('Actions for {sessionName} {id}', { sessionName: sessionName(row), id: row.id.slice(0, 8) })}
        >
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} to={address(row.id)}>
          {t('Open')}
        </Menu.Item>
        {row.recording && (
          <Menu.Item component={Link} to={`${address(row.id)}/recording`}>
            {t('Play the recording')}
          </Menu.Item>
        )}
        {writes && <Menu.Item onClick={onShare}>{t('Share a link to look')}</Menu.Item>}
        {writes && !running && <Menu.Item onClick={again}>{t('Start again')}</Menu.Item>}
        {writes && running && (
          <Menu.Item c="var(--jf-bad)" onClick={() => void finish()}>
            {t('End the session…')}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
