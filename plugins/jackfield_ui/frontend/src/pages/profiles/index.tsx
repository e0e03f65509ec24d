import { ActionIcon, Anchor, Button, Menu, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { segment } from '../../api/client';
import type { Profile, ProxyState } from '../../api/types';
import { areaPath } from '../../app/areas';
import { hasArea } from '../../app/pages';
import { useMay } from '../../app/session';
import { type Column, DataTable } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { Page } from '../../components/Page';
import { PlaceDialogs, PlaceItems, type Placing } from '../../components/projects/PlaceItems';
import { projectColumnsBy } from '../../components/projects/ProjectBadge';
import { useProjectsInUse } from '../../components/projects/queries';
import { useBelonging } from '../../components/projects/rights';
import { StatusBadge } from '../../components/StatusBadge';
import { hostOf, withHost } from '../../components/table/hosts';
import { RelativeTime } from '../../components/values';
import { Warnings } from '../../components/Warnings';
import { IconDots, IconPlus, IconUserCog } from '../../icons/drawn';
import { t } from '../../language/messages';
import { Create } from './Create';
import { DeleteDialog } from './DeleteDialog';
import { useProfiles, useProfileWarnings, useProxies } from './queries';

const NO_ALIASES: readonly string[] = [];
const address = (alias: string) => `${areaPath('profiles')}/${segment(alias)}`;
export const terminalOf = (alias: string) => `${areaPath('terminals')}?new&profile=${segment(alias)}`;

export default function Profiles() {
  const profiles = useProfiles();
  const warnings = useProfileWarnings();
  const proxies = useProxies();
  const navigate = useNavigate();
  const writes = useMay('member');
  const inUse = useProjectsInUse();
  const belonging = useBelonging('profile', profiles.data?.map(({ alias }) => alias) ?? NO_ALIASES);
  const [placing, setPlacing] = useState<{ open: Placing; alias: string }>();
  const [search, setSearch] = useSearchParams();
  const [deleting, setDeleting] = useState<string>();
  const columns = useMemo(
    () => withHost(columnsWith(proxies.data ?? []), profiles.data),
    [proxies.data, profiles.data],
  );
  const ask = (wanted: boolean) => setSearch(wanted ? { new: '' } : {}, { replace: true });
  const newButton = writes && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => ask(true)}>
      {t('New profile')}
    </Button>
  );
  return (
    <Page
      title={t('Profiles')}
      subtitle={t('A profile is an agent with its own provider, model, key and home directory.')}
      actions={profiles.data && profiles.data.length > 0 && newButton}
    >
      <Warnings title={t('Files that cannot be used')} warnings={warnings.data ?? []} />
      <DataTable
        label={t('Profiles')}
        columns={[...columns, ...projectColumnsBy(({ alias }: Profile) => alias, inUse, belonging)]}
        rows={profiles.data}
        rowKey={(row) => `${row.alias} ${hostOf(row)}`}
        error={profiles.error}
        onRetry={() => void profiles.refetch()}
        onOpen={({ alias }) => void navigate(address(alias))}
        textOf={textOf}
        initialSort={{ key: 'alias', descending: false }}
        rowActions={({ alias }) => (
          <Menu>
            <Menu.Target>
              <ActionIcon aria-label={t('Actions for {alias}', { alias })}>
                <IconDots size={16} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item component={Link} to={address(alias)}>
                {t('Open')}
              </Menu.Item>
              {belonging.may(alias, 'start') && hasArea('terminals') && (
                <Menu.Item component={Link} to={terminalOf(alias)}>
                  {t('Open a terminal…')}
                </Menu.Item>
              )}
              {belonging.may(alias, 'start') && (
                <Menu.Item component={Link} to={`${address(alias)}?tab=run`}>
                  {t('Run a prompt')}
                </Menu.Item>
              )}
              {belonging.may(alias, 'admin') && <PlaceItems onPlace={(open) => setPlacing({ open, alias })} />}
              {belonging.may(alias, 'write') && (
                <Menu.Item c="var(--jf-bad)" onClick={() => setDeleting(alias)}>
                  {t('Delete…')}
                </Menu.Item>
              )}
            </Menu.Dropdown>
          </Menu>
        )}
        empty={
          <EmptyState icon={IconUserCog} title={t('No profiles yet')} action={newButton}>
            {t(
              'A profile binds a coding agent to a provider, a model and a key. Several accounts work side by side, and your own configuration of the agent stays as it is.',
            )}
          </EmptyState>
        }
      />
      {search.has('new') && writes && (
        <Create
          agent={search.get('agent') ?? undefined}
          onClose={() => ask(false)}
          onCreated={(alias) => void navigate(address(alias))}
        />
      )}
      {placing && (
        <PlaceDialogs
          open={placing.open}
          kind="profile"
          things={[{ id: placing.alias, name: placing.alias }]}
          to={address}
          onClose={() => setPlacing(undefined)}
        />
      )}
      {deleting !== undefined && (
        <DeleteDialog
          alias={deleting}
          onClose={() => setDeleting(undefined)}
          onDeleted={() => setDeleting(undefined)}
        />
      )}
    </Page>
  );
}

const textOf = ({ alias, agent_id, provider_id, model, host }: Profile) =>
  [alias, agent_id, provider_id, model, host].join(' ');

function columnsWith(proxies: readonly ProxyState[]): Column<Profile>[] {
  return [
    {
      key: 'alias',
      title: t('Profile'),
      primary: true,
      sort: ({ alias }) => alias.toLowerCase(),
      render: ({ alias }) => (
        <Anchor component={Link} to={address(alias)} c="inherit" inherit>
          {alias}
        </Anchor>
      ),
    },
    { key: 'agent', title: t('Agent'), sort: ({ agent_id }) => agent_id, render: ({ agent_id }) => agent_id },
    {
      key: 'provider',
      title: t('Provider'),
      sort: ({ provider_id }) => provider_id,
      render: ({ provider_id, endpoint_id }) => (
        <>
          {provider_id}
          {endpoint_id && endpoint_id !== 'default' && (
            <Text span size="xs" c="dimmed">
              {' '}
              {endpoint_id}
            </Text>
          )}
        </>
      ),
    },
    {
      key: 'model',
      title: t('Model'),
      sort: ({ model }) => model,
      render: ({ model }) => <span className="jf-mono">{model}</span>,
    },
    {
      key: 'proxy',
      title: t('Proxy'),
      render: (row) => {
        const proxy = proxies.find((one) => one.profile === row.alias && hostOf(one) === hostOf(row));
        return proxy ? <StatusBadge status={proxy.status} /> : <Text c="dimmed">{t('none')}</Text>;
      },
    },
    {
      key: 'used',
      title: t('Last used'),
      sort: ({ last_used }) => last_used ?? '',
      render: ({ last_used }) => <RelativeTime time={last_used} />,
    },
  ];
}
