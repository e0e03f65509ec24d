import { Grid, SimpleGrid, Stack } from '@mantine/core';
import { useReachesAgents } from '../../app/session';
import { Page } from '../../components/Page';
import { Count, Money } from '../../components/values';
import { IconActivity, IconArrowsRightLeft, IconCoin, IconTerminal2 } from '../../icons/drawn';
import { rich, t } from '../../language/messages';
import { Executions } from './Executions';
import { Figure } from './Figure';
import { FirstSteps } from './FirstSteps';
import { useDashboardEvents, useProxies, useSessions, useStats, useToday } from './queries';
import { Running } from './Running';

export default function Dashboard() {
  useDashboardEvents();
  const reaches = useReachesAgents();
  const stats = useStats();
  const sessions = useSessions();
  const proxies = useProxies();
  const today = useToday();
  const alive = sessions.data?.filter(({ state }) => state !== 'terminated');
  const routing = proxies.data?.filter(({ status }) => status === 'running');
  const troubled = proxies.data?.filter(({ status }) => status === 'failed' || status === 'unhealthy');
  const open = stats.data && stats.data.running + stats.data.queued;
  const tokens = today.data && Object.values(today.data.total_tokens).reduce((sum, some) => sum + some, 0);

  return (
    <Page title={t('Dashboard')} subtitle={t('A live view of your runs, and of everything that needs you.')}>
      <Stack gap="lg">
        <FirstSteps />
        <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
          {reaches && (
            <Figure
              label={t('Terminal sessions')}
              area="terminals"
              icon={IconTerminal2}
              query={sessions}
              value={alive && <Count value={alive.length} />}
              note={waiting(sessions.data?.length ?? 0, alive?.length ?? 0)}
            />
          )}
          <Figure
            label={t('Executions running')}
            area="executions"
            icon={IconActivity}
            query={stats}
            value={open !== undefined && <Count value={open} />}
            note={
              stats.data &&
              t('{waiting} waiting, {failed} failed so far', { waiting: stats.data.waiting, failed: stats.data.failed })
            }
          />
          {reaches && (
            <>
              <Figure
                label={t('Proxies running')}
                area="proxies"
                icon={IconArrowsRightLeft}
                query={proxies}
                value={routing && <Count value={routing.length} />}
                note={
                  troubled?.length
                    ? t('{troubled} in trouble', { troubled: troubled.length })
                    : t('of {proxies}', { proxies: proxies.data?.length ?? 0 })
                }
                bad={Boolean(troubled?.length)}
              />
              <Figure
                label={t('Cost today')}
                area="usage"
                icon={IconCoin}
                query={today}
                value={today.data && <Money value={today.data.total_cost.total_cost} />}
                note={
                  tokens !== undefined && <>{rich('{tokens} tokens', { tokens: <Count value={tokens} short /> })}</>
                }
              />
            </>
          )}
        </SimpleGrid>
        <Grid gap="lg">
          <Grid.Col span={{ base: 12, lg: reaches ? 7 : 12 }}>
            <Executions />
          </Grid.Col>
          {reaches && (
            <Grid.Col span={{ base: 12, lg: 5 }}>
              <Running sessions={alive} proxies={proxies.data} />
            </Grid.Col>
          )}
        </Grid>
      </Stack>
    </Page>
  );
}

function waiting(all: number, alive: number): string {
  return all > alive ? t('{all} ended', { all: all - alive }) : t('running now');
}
