import { ActionIcon, Anchor, Button, Group, Select, Stack, Text, Tooltip } from '@mantine/core';
import { type FormEvent, useMemo, useState } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { segment } from '../../api/client';
import type { ProxyState } from '../../api/types';
import { areaPath } from '../../app/areas';
import { hasArea } from '../../app/pages';
import { useMay } from '../../app/session';
import { confirm } from '../../components/confirm';
import { type Column, DataTable } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { Modal } from '../../components/Modal';
import { Page } from '../../components/Page';
import { projectColumnsBy } from '../../components/projects/ProjectBadge';
import { useProjectsInUse } from '../../components/projects/queries';
import { useBelonging } from '../../components/projects/rights';
import { StatusBadge } from '../../components/StatusBadge';
import { hostOf, withHost } from '../../components/table/hosts';
import { Count, RelativeTime } from '../../components/values';
import { IconArrowsRightLeft, IconPlayerPlay, IconPlayerStop, IconPlus, IconRefresh } from '../../icons/drawn';
import { rich, t } from '../../language/messages';
import { BudgetBars } from './Budgets';
import { type Act, useAct, useProfiles, useProxies, useProxyEvents, useStopAll } from './queries';

export default function Proxies() {
  useProxyEvents();
  const proxies = useProxies();
  const columns = useMemo(() => withHost(COLUMNS, proxies.data), [proxies.data]);
  const inUse = useProjectsInUse();
  const belonging = useBelonging('profile', proxies.data?.map(profileOf) ?? NO_PROFILES);
  const stopAll = useStopAll();
  const may = useMay('member');
  const navigate = useNavigate();
  const [search, setSearch] = useSearchParams();
  const alive = proxies.data?.filter(({ pid }) => pid !== null) ?? [];
  const setUp = (open: boolean) => setSearch(open ? { new: '' } : {}, { replace: true });

  const stop = async () => {
    const body = t(
      'Agents that use them get no answers until you start them again. Open requests get a short time to end.',
    );
    if (await confirm({ title: t('Stop {alive} proxies?', { alive: alive.length }), body, action: t('Stop all') }))
      stopAll.mutate();
  };
  return (
    <Page
      title={t('Proxies')}
      subtitle={t(
        'Between a profile’s agent and the providers of models: rules, fallbacks, limits, and what was used.',
      )}
      actions={
        may && (
          <>
            {alive.length > 1 && (
              <Button variant="default" onClick={() => void stop()} loading={stopAll.isPending}>
                {t('Stop all')}
              </Button>
            )}
            <Button leftSection={<IconPlus size={16} aria-hidden="true" />} onClick={() => setUp(true)}>
              {t('Set up a proxy')}
            </Button>
          </>
        )
      }
    >
      <DataTable
        label={t('Proxies')}
        columns={[...columns, ...projectColumnsBy(profileOf, inUse, belonging)]}
        rows={proxies.data}
        rowKey={(row) => `${row.profile} ${hostOf(row)}`}
        error={proxies.error}
        onRetry={() => void proxies.refetch()}
        onOpen={(row) => void navigate(address(row))}
        textOf={textOf}
        {...(may ? { rowActions: (row: ProxyState) => <Actions proxy={row} /> } : {})}
        empty={
          <EmptyState icon={IconArrowsRightLeft} title={t('No profile has a proxy')}>
            {t(
              'A proxy sends each request of an agent where your rules say: long ones to one model, small ones to a cheaper one. When a provider fails, another one serves. The agent needs no change.',
            )}
          </EmptyState>
        }
      />
      <SetUp opened={search.has('new') && may} onClose={() => setUp(false)} />
    </Page>
  );
}

const NO_PROFILES: readonly string[] = [];
const profileOf = ({ profile }: ProxyState) => profile;

const address = ({ profile }: ProxyState) => `${areaPath('proxies')}/${segment(profile)}`;

const textOf = ({ profile, status, port, host }: ProxyState) => [profile, status, port, host].join(' ');

const COLUMNS: Column<ProxyState>[] = [
  {
    key: 'profile',
    title: t('Profile'),
    primary: true,
    sort: (row) => row.profile,
    render: (row) => (
      <Anchor component={Link} to={address(row)} c="inherit" inherit>
        {row.profile}
      </Anchor>
    ),
  },
  {
    key: 'status',
    title: t('Status'),
    sort: (row) => row.status,
    render: (row) => (
      <>
        <StatusBadge status={row.enabled ? row.status : 'disabled'} />
        {row.error && (
          <Text size="xs" c="dimmed" lineClamp={2}>
            {row.error}
          </Text>
        )}
      </>
    ),
  },
  { key: 'port', title: t('Port'), align: 'end', render: (row) => <span className="jf-mono">{row.port ?? '–'}</span> },
  {
    key: 'requests',
    title: t('Requests'),
    align: 'end',
    sort: (row) => row.requests,
    render: (row) => <Count value={row.requests} />,
  },
  {
    key: 'restarts',
    title: t('Restarts'),
    align: 'end',
    sort: (row) => row.restarts,
    render: (row) => <Count value={row.restarts} />,
  },
  { key: 'budgets', title: t('Budgets'), width: '27%', render: (row) => <BudgetBars proxy={row} short /> },
  { key: 'started', title: t('Started'), render: (row) => <RelativeTime time={row.started_at} /> },
];

function Actions({ proxy }: { proxy: ProxyState }) {
  const act = useAct();
  const runs = proxy.pid !== null;
  const { profile } = proxy;
  const button = (what: Act, label: string, whole: string, Sign: typeof IconRefresh) => (
    <Tooltip label={label}>
      <ActionIcon
        aria-label={whole}
        loading={act.isPending && act.variables.act === what}
        disabled={act.isPending}
        onClick={() => act.mutate({ alias: profile, act: what })}
      >
        <Sign size={16} />
      </ActionIcon>
    </Tooltip>
  );
  return (
    <Group gap={0} wrap="nowrap" justify="flex-end">
      {runs
        ? button('stop', t('Stop'), t('Stop the proxy of {profile}', { profile }), IconPlayerStop)
        : button('start', t('Start'), t('Start the proxy of {profile}', { profile }), IconPlayerPlay)}
      {runs && button('restart', t('Restart'), t('Restart the proxy of {profile}', { profile }), IconRefresh)}
    </Group>
  );
}

function SetUp({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const profiles = useProfiles();
  const navigate = useNavigate();
  const [alias, setAlias] = useState<string | null>(null);
  const names = useMemo(() => profiles.data?.map((profile) => profile.alias) ?? [], [profiles.data]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (alias) void navigate(`${areaPath('proxies')}/${segment(alias)}`);
  };
  return (
    <Modal opened={opened} onClose={onClose} title={t('Set up a proxy')}>
      <form onSubmit={submit}>
        <Stack>
          {profiles.data && names.length === 0 ? (
            <Text>
              {rich('A proxy belongs to a profile, and there is none yet. {anchor}', {
                anchor: hasArea('profiles') && (
                  <Anchor component={Link} to="/ui/profiles?new">
                    {t('Create a profile')}
                  </Anchor>
                ),
              })}
            </Text>
          ) : (
            <Select
              label={t('Profile')}
              description={t('You add its rules next. Nothing runs until you save them.')}
              data={names}
              value={alias}
              onChange={setAlias}
              searchable
              nothingFoundMessage={t('No profile of this name')}
              limit={200}
              data-autofocus
            />
          )}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              {t('Cancel')}
            </Button>
            <Button type="submit" disabled={!alias}>
              {t('Write rules')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
