import { Alert, Button, Menu, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { useMay } from '../../app/session';
import { EmptyState } from '../../components/EmptyState';
import { Failure } from '../../components/Failure';
import { Page } from '../../components/Page';
import { IconChartBar, IconChevronDown, IconDownload, IconFileImport, IconInfoCircle } from '../../icons/drawn';
import { rich, t } from '../../language/messages';
import { Blocks } from './Blocks';
import { Filters } from './Filters';
import { ImportDialog } from './ImportDialog';
import { type Filter, isPeriod, type Part } from './model';
import { Parts } from './Parts';
import { exportAddress, useNames, useUsage, useUsageEvents } from './queries';
import { Sessions } from './Sessions';
import { Steps } from './Steps';
import { Totals } from './Totals';

const NAMES = ['profile', 'agent', 'provider', 'model'] as const;

export default function Usage() {
  useUsageEvents();
  const [search, setSearch] = useSearchParams();
  const [part, setPart] = useState<Part>('model');
  const may = useMay('member');
  const filter = filterOf(search);
  const usage = useUsage(filter);
  const names = useNames();
  const importing = search.has('import') && may;

  const change = (changed: Record<string, string>) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        for (const [name, value] of Object.entries(changed)) {
          if (value) next.set(name, value);
          else next.delete(name);
        }
        return next;
      },
      { replace: true },
    );
  const setImporting = (open: boolean) => change({ import: open ? 'logs' : '' });
  const nothing = names.data && Object.keys(names.data.aggregates.by_date).length === 0;

  return (
    <Page
      title={t('Usage')}
      subtitle={t('Tokens and cost of agents: from their own logs, from runs, and from proxies.')}
      actions={
        <>
          {may && (
            <Button
              variant="default"
              leftSection={<IconFileImport size={16} aria-hidden="true" />}
              onClick={() => setImporting(true)}
            >
              {t('Import from logs')}
            </Button>
          )}
          {!nothing && <Export filter={filter} />}
        </>
      }
    >
      {names.error && !names.data ? (
        <Failure error={names.error} onRetry={() => void names.refetch()} />
      ) : nothing ? (
        <EmptyState
          icon={IconChartBar}
          title={t('No usage yet')}
          action={may && <Button onClick={() => setImporting(true)}>{t('Import from agents’ logs')}</Button>}
        >
          {t(
            'Usage appears here as agents work. Usage from before is in the agents’ own logs; you can import it at any time: every answer counts once.',
          )}
        </EmptyState>
      ) : (
        <Stack gap="lg">
          <Filters filter={filter} names={names.data} onChange={change} />
          {usage.error && !usage.data ? (
            <Failure error={usage.error} onRetry={() => void usage.refetch()} />
          ) : (
            <>
              <Totals usage={usage.data} />
              {usage.data && <Unpriced models={usage.data.unpriced ?? []} />}
              <Steps filter={filter} days={usage.data} part={part} onPart={setPart} />
              <Parts filter={filter} part={part} />
              <Blocks filter={filter} />
              <Sessions filter={filter} />
            </>
          )}
        </Stack>
      )}
      <ImportDialog opened={importing} onClose={() => setImporting(false)} />
    </Page>
  );
}

function filterOf(search: URLSearchParams): Filter {
  const period = search.get('period');
  const [profile, agent, provider, model] = NAMES.map((name) => search.get(name) ?? '');
  return {
    period: isPeriod(period) ? period : '30d',
    profile: profile ?? '',
    agent: agent ?? '',
    provider: provider ?? '',
    model: model ?? '',
  };
}

function Export({ filter }: { filter: Filter }) {
  return (
    <Menu>
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden="true" />}
          rightSection={<IconChevronDown size={14} aria-hidden="true" />}
        >
          {t('Export')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={exportAddress(filter, 'csv')} download>
          {t('CSV, for spreadsheets')}
        </Menu.Item>
        <Menu.Item component="a" href={exportAddress(filter, 'json')} download>
          {t('JSON, for programs')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function Unpriced({ models }: { models: readonly string[] }) {
  if (models.length === 0) return null;
  return (
    <Alert
      color="yellow"
      icon={<IconInfoCircle aria-hidden="true" />}
      title={t('Some models have no known price')}
      styles={{ title: { color: 'var(--jf-banner-text)' } }}
    >
      <Text size="sm">
        {rich(
          'Their tokens are counted, and are in no cost: {models}. A price in {code} applies to the past as well.',
          {
            models: <span className="jf-mono">{models.join(', ')}</span>,
            code: <span className="jf-mono">registry/litellm-pricing.json</span>,
          },
        )}
      </Text>
    </Alert>
  );
}
