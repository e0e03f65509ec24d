import { Anchor, Button, Tabs } from '@mantine/core';
import { IconBooks, IconPlus, IconRobot } from '@tabler/icons-react';
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
      title="Agents"
      subtitle="The coding tools that profiles run, and the providers that serve their models."
      actions={
        tab === 'providers' &&
        writes && (
          <Button
            leftSection={<IconPlus size={16} />}
            onClick={() => setSearch({ tab: 'providers', new: '' }, { replace: true })}
          >
            Add a provider
          </Button>
        )
      }
    >
      <Warnings title="Manifests that cannot be used" warnings={warnings} />
      <Tabs
        value={tab}
        onChange={(next) => setSearch(next === 'providers' ? { tab: 'providers' } : {}, { replace: true })}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="agents">Agents</Tabs.Tab>
          <Tabs.Tab value="providers">Providers</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="agents">
          <DataTable
            label="Agents"
            columns={AGENTS}
            rows={agents.data?.data}
            rowKey={({ id }) => id}
            error={agents.error}
            onRetry={() => void agents.refetch()}
            onOpen={({ id }) => void navigate(address(id))}
            initialSort={{ key: 'installed', descending: false }}
            empty={
              <EmptyState icon={IconRobot} title="No agent is known">
                Put a manifest into <span className="jf-mono">agents.d</span> of the configuration directory.
              </EmptyState>
            }
          />
        </Tabs.Panel>
        <Tabs.Panel value="providers">
          <DataTable
            label="Providers"
            columns={providerColumns(show)}
            rows={providers.data?.data}
            rowKey={({ id }) => id}
            error={providers.error}
            onRetry={() => void providers.refetch()}
            onOpen={({ id }) => show(id)}
            initialSort={{ key: 'name', descending: false }}
            empty={
              <EmptyState icon={IconBooks} title="No provider is known">
                Put a manifest into <span className="jf-mono">providers.d</span> of the configuration directory.
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
    title: 'Agent',
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
    title: 'State',
    sort: ({ installed, name }) => `${installed ? 0 : 1}${name.toLowerCase()}`,
    render: ({ installed }) => <StatusBadge status={installed ? 'installed' : 'missing'} />,
  },
  { key: 'version', title: 'Version', render: ({ version }) => version ?? '–' },
  {
    key: 'path',
    title: 'Program',
    render: ({ binary_path }) => (
      <span className="jf-mono" style={{ overflowWrap: 'anywhere' }}>
        {binary_path ?? '–'}
      </span>
    ),
  },
  {
    key: 'profiles',
    title: 'Profiles',
    align: 'end',
    sort: ({ profile_count }) => profile_count,
    render: ({ profile_count }) => profile_count,
  },
];

function providerColumns(show: (id: string) => void): Column<Provider>[] {
  return [
    {
      key: 'name',
      title: 'Provider',
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
      title: 'Speaks',
      sort: ({ type }) => type,
      render: ({ type }) => (type === 'self' ? 'the agent’s own login' : type),
    },
    {
      key: 'model',
      title: 'Default model',
      render: ({ default_model }) => <span className="jf-mono">{default_model ?? '–'}</span>,
    },
  ];
}
