import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { api, body } from '../../../api/client';
import type { Schemas } from '../../../api/types';
import { confirm } from '../../../components/confirm';
import type { Column } from '../../../components/DataTable';
import { notifyDone, notifyError } from '../../../components/notify';
import { RelativeTime } from '../../../components/values';
import { IconDevices, IconLogout } from '../../../icons/drawn';
import { t } from '../../../language/messages';
import { ListSection } from '../ListSection';
import { deviceName } from './deviceName';
import { SESSIONS, useReread } from './queries';

type LoginSession = Schemas['LoginSessionView'];

const COLUMNS: Column<LoginSession>[] = [
  {
    key: 'device',
    title: t('Device'),
    primary: true,
    render: ({ device, current }) => `${deviceName(device)}${current ? ` ${t('(this one)')}` : ''}`,
  },
  { key: 'address', title: t('Address'), render: ({ address }) => address || t('not known') },
  { key: 'how', title: t('Logged in with'), render: ({ how }) => how.join(', ') || t('not known') },
  { key: 'began', title: t('Logged in'), render: ({ createdAt }) => <RelativeTime time={createdAt} /> },
  { key: 'seen', title: t('Last seen'), render: ({ lastSeenAt }) => <RelativeTime time={lastSeenAt} /> },
];

export function OwnSessions() {
  const reread = useReread();
  const found = useQuery({
    queryKey: SESSIONS,
    queryFn: ({ signal }) => body(api.GET('/api/v1/auth/sessions', { signal })),
  });
  const { mutate } = useMutation({
    mutationFn: () => body(api.DELETE('/api/v1/auth/sessions', {})),
    onSuccess: () => {
      notifyDone(t('Your other sessions and all tokens have ended.'));
      reread();
    },
    onError: (error) => notifyError(error, t('The sessions cannot be ended')),
  });
  const ask = async () => {
    const text = t('People who use them have to log in again. Tokens end, API keys stay.');
    if (await confirm({ title: t('End all other sessions?'), body: text, action: t('End them') })) mutate();
  };
  const rows = found.data?.data;
  return (
    <ListSection
      title={t('Sessions')}
      about={t('Browsers in which you are logged in.')}
      icon={IconDevices}
      none={t('No sessions')}
      hint={t('A session begins when you log in with a browser.')}
      columns={COLUMNS}
      rows={rows}
      rowKey={({ id }) => id}
      error={found.error}
      onRetry={() => void found.refetch()}
      rowActions={(one) => (one.current ? null : <End session={one} />)}
    >
      <Button variant="default" mt="md" onClick={() => void ask()}>
        {t('End all other sessions')}
      </Button>
    </ListSection>
  );
}

function End({ session }: { session: LoginSession }) {
  const reread = useReread();
  const { mutate } = useMutation({
    mutationFn: () =>
      api.DELETE('/api/v1/auth/sessions/{session_id}', { params: { path: { session_id: session.id } } }),
    onSuccess: reread,
    onError: (error) => notifyError(error, t('The session cannot be ended')),
  });
  return (
    <Tooltip label={t('End this session')}>
      <ActionIcon
        aria-label={t('End the session of {deviceName}', { deviceName: deviceName(session.device) })}
        onClick={() => mutate()}
      >
        <IconLogout size={16} />
      </ActionIcon>
    </Tooltip>
  );
}
