import { Anchor, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { segment } from '../../api/client';
import type { ProxyState, TerminalSession } from '../../api/types';
import { areaPath } from '../../app/areas';
import { hasArea } from '../../app/pages';
import { StatusBadge } from '../../components/StatusBadge';
import { RelativeTime } from '../../components/values';
import { rich, t } from '../../language/messages';
import classes from './dashboard.module.css';

/** Sessions and proxies by name. */
export function Running({
  sessions,
  proxies,
}: {
  sessions: TerminalSession[] | undefined;
  proxies: ProxyState[] | undefined;
}) {
  return (
    <Stack gap="lg">
      <Block title={t('Terminal sessions')} rows={sessions} none={t('Nothing runs in a terminal.')}>
        {(session) => (
          <div key={session.id} className={classes.row}>
            <div>
              <Name area="terminals" id={session.id} label={session.profile_alias ?? t('Shell')} />
              <Text size="xs" c="dimmed">
                {rich('since {createdAt}', { createdAt: <RelativeTime time={session.created_at} /> })}
              </Text>
            </div>
            <StatusBadge status={session.state} />
          </div>
        )}
      </Block>
      <Block title={t('Proxies')} rows={proxies} none={t('No profile has a proxy.')}>
        {(proxy) => (
          <div key={proxy.profile} className={classes.row}>
            <div>
              <Name area="proxies" id={proxy.profile} label={proxy.profile} />
              <Text size="xs" c="dimmed">
                {proxy.error ??
                  (proxy.port
                    ? t('port {port}, {requests} requests', { port: proxy.port, requests: proxy.requests })
                    : t('no port'))}
              </Text>
            </div>
            <StatusBadge status={proxy.status} />
          </div>
        )}
      </Block>
    </Stack>
  );
}

function Block<Row>({
  title,
  rows,
  none,
  children,
}: {
  title: string;
  rows: Row[] | undefined;
  none: string;
  children: (row: Row) => ReactNode;
}) {
  return (
    <section>
      <Title order={2} mb="sm">
        {title}
      </Title>
      <Paper px="md" py="sm">
        {!rows && <Skeleton height={20} />}
        {rows?.length === 0 && <Text c="dimmed">{none}</Text>}
        {rows?.slice(0, 6).map(children)}
      </Paper>
    </section>
  );
}

function Name({ area, id, label }: { area: string; id: string; label: string }) {
  if (!hasArea(area)) return <Text fw={550}>{label}</Text>;
  return (
    <Anchor component={Link} to={`${areaPath(area)}/${segment(id)}`} c="inherit" fw={550}>
      {label}
    </Anchor>
  );
}
