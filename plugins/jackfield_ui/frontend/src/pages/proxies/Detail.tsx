import { Button, Group, Paper, SimpleGrid, Skeleton, Stack, Tabs, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useParams, useSearchParams } from 'react-router';
import type { ProxyState } from '../../api/types';
import { areaPath } from '../../app/areas';
import { useMay } from '../../app/session';
import { Copyable } from '../../components/Copyable';
import { Failure } from '../../components/Failure';
import { Page } from '../../components/Page';
import { StatusBadge } from '../../components/StatusBadge';
import { useGuard } from '../../components/unsaved';
import { Count, RelativeTime } from '../../components/values';
import { t } from '../../language/messages';
import { BudgetBars } from './Budgets';
import { Editor } from './Editor';
import { Log } from './Log';
import { useAct, useConfig, useProxy, useProxyEvents } from './queries';
import { Requests } from './Requests';

const TABS = ['rules', 'requests', 'log'] as const;

export default function Detail() {
  const { alias = '' } = useParams();
  return <OneProxy key={alias} alias={alias} />;
}

function OneProxy({ alias }: { alias: string }) {
  useProxyEvents();
  useGuard();
  const [search, setSearch] = useSearchParams();
  const state = useProxy(alias);
  const config = useConfig(alias);
  const tab = TABS.find((one) => one === search.get('tab')) ?? 'rules';
  return (
    <Page
      title={t('Proxy of {alias}', { alias })}
      crumbs={[{ label: t('Proxies'), to: areaPath('proxies') }]}
      badge={state.data && <StatusBadge status={state.data.enabled ? state.data.status : 'disabled'} />}
      actions={state.data && <Actions proxy={state.data} />}
    >
      {state.error && !state.data ? (
        <Failure error={state.error} onRetry={() => void state.refetch()} />
      ) : (
        <Stack gap="lg">
          <Facts proxy={state.data} />
          <Tabs
            value={tab}
            onChange={(next) => setSearch(next === 'rules' ? {} : { tab: next ?? '' }, { replace: true })}
          >
            <Tabs.List mb="md">
              <Tabs.Tab value="rules">{t('Rules')}</Tabs.Tab>
              <Tabs.Tab value="requests">{t('Requests')}</Tabs.Tab>
              <Tabs.Tab value="log">{t('Log')}</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="rules">
              {config.error && !config.data ? (
                <Failure error={config.error} onRetry={() => void config.refetch()} />
              ) : config.data ? (
                <Editor alias={alias} stored={config.data.value} tag={config.data.tag} />
              ) : (
                <Skeleton height={420} />
              )}
            </Tabs.Panel>
            <Tabs.Panel value="requests">{tab === 'requests' && <Requests alias={alias} />}</Tabs.Panel>
            <Tabs.Panel value="log">{tab === 'log' && <Log alias={alias} />}</Tabs.Panel>
          </Tabs>
        </Stack>
      )}
    </Page>
  );
}

function Actions({ proxy }: { proxy: ProxyState }) {
  const act = useAct();
  if (!useMay('member')) return null;
  const runs = proxy.pid !== null;
  const button = (what: 'start' | 'stop' | 'restart', label: string) => (
    <Button
      variant="default"
      loading={act.isPending && act.variables.act === what}
      disabled={act.isPending || !proxy.enabled}
      onClick={() => act.mutate({ alias: proxy.profile, act: what })}
    >
      {label}
    </Button>
  );
  return (
    <>
      {runs ? button('stop', t('Stop')) : button('start', t('Start'))}
      {runs && button('restart', t('Restart'))}
    </>
  );
}

function Facts({ proxy }: { proxy: ProxyState | undefined }) {
  return (
    <Paper p="md" component="section" aria-label={t('State')}>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Stack gap="sm">
          <Group gap="xl">
            <Fact label={t('Address')}>
              {proxy?.port ? (
                <Copyable text={`http://127.0.0.1:${proxy.port}`} label={t('the address')} />
              ) : (
                t('none yet')
              )}
            </Fact>
            <Fact label={t('Started')}>{proxy && <RelativeTime time={proxy.started_at} />}</Fact>
            <Fact label={t('Requests')}>{proxy && <Count value={proxy.requests} />}</Fact>
            <Fact label={t('Restarts')}>{proxy && <Count value={proxy.restarts} />}</Fact>
          </Group>
          {proxy?.error && (
            <Text size="sm" c="var(--jf-bad)" style={{ overflowWrap: 'anywhere' }}>
              {proxy.error}
            </Text>
          )}
        </Stack>
        <Fact label={t('Budgets')}>{proxy && <BudgetBars proxy={proxy} />}</Fact>
      </SimpleGrid>
    </Paper>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <div>{children || <Skeleton height={16} width={60} />}</div>
    </div>
  );
}
