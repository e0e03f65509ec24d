import { Anchor, Button, Tabs } from '@mantine/core';
import { useState } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { segment } from '../../api/client';
import type { Agent } from '../../api/types';
import { areaPath } from '../../app/areas';
import { useMay } from '../../app/session';
import { type Column, DataTable } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { Page } from '../../components/Page';
import { StatusBadge } from '../../components/StatusBadge';
import { Warnings } from '../../components/Warnings';
import { IconBooks, IconPlus, IconRobot } from '../../icons/drawn';
import { rich, t } from '../../language/messages';
import { AddProvider } from './AddProvider';
import { ProviderDialog } from './ProviderDialog';
import { type Provider, useAgents, useProviders } from './queries';

const address = (id: string) => `${areaPath('agents')}/${segment(id)}`;

export default function Agents() {
  const agents = useAgents();
  const providers = useProviders();
  const navigate = useNavigate();
  const [search, setSearch] = useSearchParams();
  const writes = useMay('member');
  const [provider, show] = useState<string>();
  const warnings = [...(agents.data?.warnings ?? []), ...(providers.data?.warnings ?? [])];
  const tab = search.get('tab') === 'providers' ? 'providers' : 'agents';
  return (
    <Page
      title={t('Agents')}
      subtitle={t('The coding tools that profiles run, and the providers that serve their models.')}
      actions={
        tab === 'providers' &&
        writes && (
          <Button
            leftSection={<IconPlus size={16} />}
            onClick={() => setSearch({ tab: 'providers', new: '' }, { replace: true })}
          >
            {t('Add a provider')}
          </Button>
        )
      }
    >
      <Warnings title={t('Manifests that cannot be used')} warnings={warnings} />
      <Tabs
        value={tab}
        onChange={(next) => setSearch(next === 'providers' ? { tab: 'providers' } : {}, { replace: true })}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="agents">{t('Agents')}</Tabs.Tab>
          <Tabs.Tab value="providers">{t('Providers')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="agents">
          <DataTable
            label={t('Agents')}
            columns={AGENTS}
            rows={agents.data?.data}
            rowKey={({ id }) => id}
            error={agents.error}
            onRetry={() => void agents.refetch()}
            onOpen={({ id }) => void navigate(address(id))}
            initialSort={{ key: 'installed', descending: false }}
            empty={
              <EmptyState icon={IconRobot} title={t('No agent is known')}>
                {rich('Put a manifest into {code} of the configuration directory.', {
                  code: <span className="jf-mono">agents.d</span>,
                })}
              </EmptyState>
            }
          />
        </Tabs.Panel>
        <Tabs.Panel value="providers">
          <DataTable
            label={t('Providers')}
            columns={providerColumns(show)}
            rows={providers.data?.data}
            rowKey={({ id }) => id}
            error={providers.error}
            onRetry={() => void providers.refetch()}
            onOpen={({ id }) => show(id)}
            initialSort={{ key: 'name', descending: false }}
            empty={
              <EmptyState icon={IconBooks} title={t('No provider is known')}>
                {rich('Put a manifest into {code} of the configuration directory.', {
                  code: <span className="jf-mono">providers.d</span>,
                })}
              </EmptyState>
            }
          />
        </Tabs.Panel>
      </Tabs>
      {search.has('new') && writes && (
        <AddProvider
          onClose={() => setSearch({ tab: 'providers' }, { replace: true })}
          onAdded={(id) => {
            setSearch({ tab: 'providers' }, { replace: true });
            show(id);
          }}
        />
      )}
      {provider !== undefined && <ProviderDialog id={provider} onClose={() => show(undefined)} />}
    </Page>
  );
}

const AGENTS: Column<Agent>[] = [
  {
    key: 'name',
    title: t('Agent'),
    primary: true,
    sort: ({ name }) => name.toLowerCase(),
    render: ({ id, name }) => (
      <Anchor component={Link} to={address(id)} c="inherit" inherit>
        {name}
      </Anchor>
    ),
  },
  {
    key: 'installed',
    title: t('State'),
    sort: ({ installed, name }) => `${installed ? 0 : 1}${name.toLowerCase()}`,
    render: ({ installed }) => <StatusBadge status={installed ? 'installed' : 'missing'} />,
  },
  { key: 'version', title: t('Version'), render: ({ version }) => version ?? '–' },
  {
    key: 'path',
    title: t('Program'),
    render: ({ binary_path }) => (
      <span className="jf-mono" style={{ overflowWrap: 'anywhere' }}>
        {binary_path ?? '–'}
      </span>
    ),
  },
  {
    key: 'profiles',
    title: t('Profiles'),
    align: 'end',
    sort: ({ profile_count }) => profile_count,
    render: ({ profile_count }) => profile_count,
  },
];

function providerColumns(show: (id: string) => void): Column<Provider>[] {
  return [
    {
      key: 'name',
      title: t('Provider'),
      primary: true,
      sort: ({ name }) => name.toLowerCase(),
      render: ({ id, name }) => (
        <Anchor component="button" type="button" c="inherit" inherit onClick={() => show(id)}>
          {name}
        </Anchor>
      ),
    },
    {
      key: 'type',
      title: t('Speaks'),
      sort: ({ type }) => type,
      render: ({ type }) => (type === 'self' ? t('the agent’s own login') : type),
    },
    {
      key: 'model',
      title: t('Default model'),
      render: ({ default_model }) => <span className="jf-mono">{default_model ?? '–'}</span>,
    },
  ];
}
