import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Copyable } from '../../../components/Copyable';
import { notifyError } from '../../../components/notify';
import { RelativeTime } from '../../../components/values';
import { t } from '../../../language/messages';
import * as commands from '../canvas/commands';
import type { DocNode } from '../model/document';
import { useEditor, useStore } from '../model/store';
import { fetchTestEvent, readTriggers } from '../queries';
import { usePanel } from './context';

/** How long a test event of a service is waited for, in seconds. */
const WAIT = 60;
const REFRESH_MS = 10_000;

const NEXT = { poll: t('Next poll'), subscribe: t('Next check'), listen: t('Connects again') };
const TEST = {
  poll: t('The saved node asks its service for the newest item, which is pinned. Nothing starts.'),
  subscribe: t('The saved node waits a minute for the next event of its service, which is pinned. Nothing starts.'),
  listen: t('The saved node listens for a minute to the next event of its service, which is pinned. Nothing starts.'),
};

/** How a trigger stands that asks a service, that a service sends events to, or that holds a connection. */
export function TriggerStanding({ node }: { node: DocNode }) {
  const store = useStore();
  const id = useEditor((state) => state.id);
  const { editable } = usePanel();
  const { data } = useQuery({
    queryKey: ['workflows', id, 'triggers'],
    queryFn: ({ signal }) => readTriggers(id, signal),
    enabled: Boolean(id),
    refetchInterval: REFRESH_MS,
  });
  const test = useMutation({
    mutationFn: () => fetchTestEvent(id, node.name, WAIT),
    onSuccess: (items) => {
      if (items.length) commands.setPin(store, node.name, items);
      else notifyError(new Error(t('The service has nothing to show yet.')), t('There is no test event'));
    },
    onError: (error) => notifyError(error, t('There is no test event')),
  });
  const row = data?.find((one) => one.node === node.name);
  if (!row) return null;
  return (
    <Stack gap={4} align="flex-start">
      <Group gap="md">
        <Fact label={t('Last event')}>
          <RelativeTime time={row.lastEvent ?? null} />
        </Fact>
        {row.kind === 'listen' && !row.next ? (
          <Fact label={t('Connected since')}>
            <RelativeTime time={row.connected ?? null} never={t('not connected')} />
          </Fact>
        ) : (
          <Fact label={NEXT[row.kind]}>
            <RelativeTime time={row.next ?? null} never={t('not planned')} />
          </Fact>
        )}
        <Fact label={t('Starts')}>{row.events}</Fact>
      </Group>
      {row.url && (
        <Text size="sm" className="jf-mono" maw="100%" component="div">
          <Copyable text={row.url} label={t('the address of events')} />
        </Text>
      )}
      {row.lastError && (
        <Alert color="red" w="100%">
          {row.lastError.message}
        </Alert>
      )}
      {editable && (
        <>
          <Button size="compact-sm" variant="default" loading={test.isPending} onClick={() => test.mutate()}>
            {t('Fetch test event')}
          </Button>
          <Text size="xs" c="dimmed">
            {TEST[row.kind]}
          </Text>
        </>
      )}
    </Stack>
  );
}

function Fact({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <Text size="sm" component="div">
      <Text span c="dimmed" inherit>
        {label}:
      </Text>{' '}
      {children}
    </Text>
  );
}
