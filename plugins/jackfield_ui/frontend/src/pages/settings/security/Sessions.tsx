import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { IconDevices, IconLogout } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { api, body } from '../../../api/client';
import type { Schemas } from '../../../api/types';
import { confirm } from '../../../components/confirm';
import type { Column } from '../../../components/DataTable';
import { notifyDone, notifyError } from '../../../components/notify';
import { RelativeTime } from '../../../components/values';
import { ListSection } from '../ListSection';
import { deviceName } from './deviceName';
import { SESSIONS, useReread } from './queries';

type LoginSession = Schemas['LoginSessionView'];

const COLUMNS: Column<LoginSession>[] = [
  {
    key: 'device',
    title: 'Device',
    primary: true,
    render: ({ device, current }) => `${deviceName(device)}${current ? ' (this one)' : ''}`,
  },
  { key: 'address', title: 'Address', render: ({ address }) => address || 'not known' },
  { key: 'how', title: 'Proofs', render: ({ how }) => how.join(', ') || 'not known' },
  { key: 'began', title: 'Logged in', render: ({ createdAt }) => <RelativeTime time={createdAt} /> },
  { key: 'seen', title: 'Last seen', render: ({ lastSeenAt }) => <RelativeTime time={lastSeenAt} /> },
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
      notifyDone('Your other sessions and all tokens have ended.');
      reread();
    },
    onError: (error) => notifyError(error, 'The sessions cannot be ended'),
  });
  const ask = async () => {
    const text = 'Whoever uses them has to log in again. Tokens end, API keys stay.';
    if (await confirm({ title: 'End all other sessions?', body: text, action: 'End them' })) mutate();
  };
  const rows = found.data?.data;
  return (
    <ListSection
      title="Sessions"
      about="Browsers in which you are logged in."
      icon={IconDevices}
      none="No sessions"
      hint="A login in a browser begins one."
      columns={COLUMNS}
      rows={rows}
      rowKey={({ id }) => id}
      error={found.error}
      onRetry={() => void found.refetch()}
      rowActions={(one) => (one.current ? null : <End session={one} />)}
    >
      <Button variant="default" mt="md" onClick={() => void ask()}>
        End all other sessions
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
    onError: (error) => notifyError(error, 'The session cannot be ended'),
  });
  return (
    <Tooltip label="End this session">
      <ActionIcon aria-label={`End the session of ${deviceName(session.device)}`} onClick={() => mutate()}>
        <IconLogout size={16} />
      </ActionIcon>
    </Tooltip>
  );
}
