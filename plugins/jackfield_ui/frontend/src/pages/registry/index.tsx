import {
  Alert,
  Button,
  Group,
  List,
  Menu,
  Paper,
  Progress,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, data as inside } from '../../api/client';
import { ApiError, messageOf } from '../../api/errors';
import { useMay } from '../../app/session';
import classes from '../../components/blocks.module.css';
import { Copyable } from '../../components/Copyable';
import { EmptyState } from '../../components/EmptyState';
import { Failure } from '../../components/Failure';
import { notifyDone } from '../../components/notify';
import { Page } from '../../components/Page';
import { StatusBadge } from '../../components/StatusBadge';
import { Count, RelativeTime } from '../../components/values';
import { IconAlertTriangle, IconBooks, IconChevronDown, IconRefresh } from '../../icons/drawn';
import { rich, t } from '../../language/messages';
import { Pin } from './Pin';
import { type Registry as State, useRegistry, useSyncing } from './queries';

export default function Registry() {
  const may = useMay('member');
  const client = useQueryClient();
  const { data, error, refetch } = useRegistry();
  const { syncing, problem } = useSyncing();
  const sync = useMutation({
    mutationFn: (force: boolean) => inside(api.POST('/api/registry/sync', { params: { query: { force } } })),
    onSuccess: ({ updated, artifacts_downloaded: files }) =>
      notifyDone(updated ? t('Synced: {files} files fetched.', { files: files ?? 0 }) : t('There is nothing new.')),
    onSettled: () => client.invalidateQueries({ queryKey: ['registry'] }),
  });
  const busy = syncing || sync.isPending;
  const trouble = sync.error ? messageOf(sync.error) : problem;
  const state = data?.state;

  return (
    <Page
      title={t('Registry')}
      subtitle={t('Published manifests of agents and providers, with scripts and prices.')}
      actions={may && <SyncButtons busy={busy} onSync={(force) => sync.mutate(force)} />}
    >
      <Stack gap="md">
        {busy && (
          <div role="status">
            <Text size="sm" mb="xs">
              {t('Syncing: what is fetched is verified before it is used.')}
            </Text>
            <Progress value={100} animated aria-label={t('Sync in progress')} />
          </div>
        )}
        {trouble && !busy && (
          <Alert color="red" role="alert" icon={<IconAlertTriangle />} title={t('The last sync failed')}>
            <Text style={{ overflowWrap: 'anywhere' }}>{trouble}</Text>
            <Text size="sm" c="dimmed">
              {sync.error instanceof ApiError && sync.error.status === 409
                ? t('A forced sync takes the older state anyway.')
                : t('The previous version is still in use.')}
            </Text>
          </Alert>
        )}
        {data?.warnings.length ? (
          <Alert color="yellow" icon={<IconAlertTriangle />} title={t('The files on disk are damaged')}>
            <List>
              {data.warnings.map((warning) => (
                <List.Item key={warning}>{warning}</List.Item>
              ))}
            </List>
            {may && <Text size="sm">{t('A forced sync repairs it.')}</Text>}
          </Alert>
        ) : null}
        {error && !data ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : state ? (
          <Content state={state} may={may} />
        ) : (
          <Skeleton height={220} />
        )}
      </Stack>
    </Page>
  );
}

function SyncButtons({ busy, onSync }: { busy: boolean; onSync: (force: boolean) => void }) {
  return (
    <Group gap="xs">
      <Button leftSection={<IconRefresh size={16} aria-hidden="true" />} loading={busy} onClick={() => onSync(false)}>
        {t('Sync')}
      </Button>
      <Menu>
        <Menu.Target>
          <Button variant="default" px="sm" disabled={busy} aria-label={t('More ways to sync')}>
            <IconChevronDown size={16} />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => onSync(true)}>
            {t('Force a sync')}
            <Text size="xs" c="dimmed" maw={240}>
              {t('Fetches a current registry too, accepts an older state, and repairs damaged files.')}
            </Text>
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}

function Content({ state, may }: { state: State; may: boolean }) {
  if (!state.commit && !state.pinned) {
    return (
      <Paper>
        <EmptyState icon={IconBooks} title={t('Nothing synced yet')}>
          {rich(
            'Name a registry as {code} in config.toml, then sync. Until then the shipped manifests and your own are used. {command} makes one.',
            {
              code: <span className="jf-mono">registry.url</span>,
              command: <span className="jf-mono">jackfield registry build</span>,
            },
          )}
        </EmptyState>
      </Paper>
    );
  }
  return (
    <>
      <SimpleGrid cols={{ base: 3 }} spacing="md">
        {(
          [
            [t('Agents'), state.agents],
            [t('Providers'), state.providers],
            [t('Scripts'), state.scripts],
          ] as const
        ).map(([label, value]) => (
          <Paper key={label} p="md">
            <Text size="sm" c="dimmed">
              {label}
            </Text>
            <div className={classes.figure}>
              <Count value={value} />
            </div>
          </Paper>
        ))}
      </SimpleGrid>
      <Paper p="md" component="section" aria-label={t('State')}>
        <Title order={2} mb="sm">
          {t('State')}
        </Title>
        <dl className={classes.facts}>
          <dt>{t('Channel')}</dt>
          <dd>{state.channel}</dd>
          <dt>{t('Commit')}</dt>
          <dd>{state.commit ? <Copyable text={state.commit} label={t('the commit')} /> : t('none yet')}</dd>
          <dt>{t('Last sync')}</dt>
          <dd>
            <RelativeTime time={state.last_sync} />
          </dd>
          <dt>{t('Follows')}</dt>
          <dd>
            {state.pinned ? (
              <StatusBadge status="pinned" label={t('Pinned to {pinned}', { pinned: state.pinned })} tone="warn" />
            ) : (
              t('the channel')
            )}
          </dd>
        </dl>
      </Paper>
      {may && <Pin state={state} />}
    </>
  );
}
