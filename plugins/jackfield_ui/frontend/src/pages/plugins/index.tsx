import { Alert, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { api, data } from '../../api/client';
import { type Column, DataTable } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { Page } from '../../components/Page';
import { StatusBadge, type Tone } from '../../components/StatusBadge';
import { IconAlertTriangle, IconPlug } from '../../icons/drawn';
import { t } from '../../language/messages';

interface Plugin {
  name: string;
  status: string;
  distribution: string;
  version: string;
  error: string;
}

const TONES: Record<string, Tone> = { active: 'good', started: 'good', running: 'good', loaded: 'good', failed: 'bad' };
const ORDER: Record<Tone, number> = { bad: 0, warn: 1, busy: 2, still: 3, good: 4 };
const toneOf = ({ status, error }: Plugin): Tone => (error ? 'bad' : (TONES[status] ?? 'still'));

export default function Plugins() {
  const list = useQuery({
    queryKey: ['plugins'],
    queryFn: ({ signal }) => data(api.GET('/api/plugins', { signal })),
  });
  const failed = list.data?.filter(({ error }) => error).length ?? 0;
  return (
    <Page
      title={t('Plugins')}
      subtitle={t('Jackfield is made of plugins. If one fails, the others keep running.')}
      actions={
        <Button component={Link} to="/ui/plugins/community" variant="default">
          {t('Community nodes')}
        </Button>
      }
    >
      {failed > 0 && (
        <Alert
          color="red"
          mb="md"
          icon={<IconAlertTriangle />}
          title={t('{failed, plural, one {One plugin does not work} other {# plugins do not work}}', { failed })}
        >
          {t('Their features are missing until you fix the problem and restart the daemon.')}
        </Alert>
      )}
      <DataTable
        label={t('Plugins')}
        columns={COLUMNS}
        rows={list.data}
        rowKey={({ name }) => name}
        error={list.error}
        onRetry={() => void list.refetch()}
        initialSort={{ key: 'status', descending: false }}
        empty={
          <EmptyState icon={IconPlug} title={t('No plugins')}>
            {t('Install a Python package with the entry point “jackfield”, and start the daemon again.')}
          </EmptyState>
        }
      />
    </Page>
  );
}

const COLUMNS: Column<Plugin>[] = [
  {
    key: 'name',
    title: t('Plugin'),
    primary: true,
    sort: ({ name }) => name,
    render: ({ name, error }) => (
      <>
        {name}
        {error && (
          <Text size="sm" fw={400} c="var(--jf-bad)" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {error}
          </Text>
        )}
      </>
    ),
  },
  {
    key: 'status',
    title: t('State'),
    width: 140,
    sort: (plugin) => ORDER[toneOf(plugin)],
    render: (plugin) => <StatusBadge status={plugin.status} tone={toneOf(plugin)} />,
  },
  { key: 'version', title: t('Version'), width: 130, render: ({ version }) => version || '–' },
  {
    key: 'distribution',
    title: t('Package'),
    sort: ({ distribution }) => distribution,
    render: ({ distribution }) => (distribution ? <span className="jf-mono">{distribution}</span> : '–'),
  },
];
