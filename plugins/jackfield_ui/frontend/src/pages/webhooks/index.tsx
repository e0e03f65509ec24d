import { Anchor, Button, Select, Text } from '@mantine/core';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { api, body, segment } from '../../api/client';
import { usePaged, yesOrNo } from '../../api/paging';
import { areaPath } from '../../app/areas';
import { hasArea } from '../../app/pages';
import { CopyIcon } from '../../components/Copyable';
import { type Column, DataTable } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { Page } from '../../components/Page';
import { StatusBadge } from '../../components/StatusBadge';
import { Count, RelativeTime } from '../../components/values';
import { IconWebhook } from '../../icons/drawn';
import { t } from '../../language/messages';
import { useWebhookEvents, type WebhookRow, webhookPath } from './queries';
import classes from './webhooks.module.css';

const PER_PAGE = 25;

export default function Webhooks() {
  const navigate = useNavigate();
  const [active, setActive] = useState('');
  const list = usePaged(
    ['webhooks', 'list', active],
    (page, signal) => {
      const query = { active: yesOrNo(active), stats: true, ...page };
      return body(api.GET('/api/v1/webhooks', { params: { query }, signal }));
    },
    PER_PAGE,
  );
  useWebhookEvents();
  return (
    <Page title={t('Webhooks')} subtitle={t('The addresses that start workflows, and the calls that they got.')}>
      <Select
        aria-label={t('Webhooks shown')}
        mb="md"
        w={170}
        data={[
          { value: '', label: t('All webhooks') },
          { value: 'true', label: t('Active only') },
          { value: 'false', label: t('Inactive only') },
        ]}
        value={active}
        allowDeselect={false}
        onChange={(next) => setActive(next ?? '')}
      />
      <DataTable
        label={t('Webhooks')}
        columns={COLUMNS}
        rows={list.rows}
        rowKey={({ id }) => id}
        error={list.error}
        onRetry={() => void list.refetch()}
        paging={list.paging}
        onOpen={(row) => void navigate(webhookPath(row.id))}
        empty={
          active ? (
            <EmptyState icon={IconWebhook} title={t('No webhook matches')}>
              {t('Show all webhooks, or activate the workflow of one.')}
            </EmptyState>
          ) : (
            <EmptyState
              icon={IconWebhook}
              title={t('No webhooks yet')}
              action={
                <Button component={Link} to="/ui/workflows?new">
                  {t('New workflow')}
                </Button>
              }
            >
              {t(
                'A workflow that begins with a Webhook node has its own address. Save such a workflow and activate it; its address shows here.',
              )}
            </EmptyState>
          )
        }
      />
    </Page>
  );
}

const COLUMNS: Column<WebhookRow>[] = [
  {
    key: 'path',
    title: t('Webhook'),
    primary: true,
    render: ({ id, method, path }) => (
      <>
        <span className={classes.method}>{method}</span>{' '}
        <Anchor component={Link} to={webhookPath(id)} c="inherit" inherit style={{ overflowWrap: 'anywhere' }}>
          {path}
        </Anchor>
      </>
    ),
  },
  {
    key: 'workflow',
    title: t('Workflow'),
    render: ({ workflowId, workflowName }) =>
      hasArea('workflows') ? (
        <Anchor component={Link} to={`${areaPath('workflows')}/${segment(workflowId)}`} c="inherit" inherit>
          {workflowName}
        </Anchor>
      ) : (
        workflowName
      ),
  },
  { key: 'active', title: t('State'), render: ({ active }) => <StatusBadge status={active ? 'active' : 'inactive'} /> },
  {
    key: 'authentication',
    title: t('Lets in'),
    render: ({ authentication }) => authenticationName(authentication),
  },
  { key: 'calls', title: t('Calls'), align: 'end', render: ({ stats }) => <Calls stats={stats} /> },
  { key: 'last', title: t('Last call'), render: ({ stats }) => <RelativeTime time={stats?.lastCall} /> },
  {
    key: 'url',
    title: 'URL',
    render: ({ url, path }) => <CopyIcon text={url} label={t('the URL of {path}', { path })} />,
  },
];

const AUTHENTICATIONS: Record<string, string> = {
  none: t('Everybody'),
  headerAuth: t('With a header'),
  basicAuth: t('With a password'),
  hmac: t('With a signature'),
  jwtAuth: t('With a JWT'),
};

export function authenticationName(authentication: string): string {
  return AUTHENTICATIONS[authentication] ?? authentication;
}

function Calls({ stats }: Pick<WebhookRow, 'stats'>) {
  if (!stats) return '–';
  return (
    <>
      <Count value={stats.totalCalls} />
      {stats.failedCalls > 0 && (
        <Text span size="xs" c="var(--jf-bad)">
          {' '}
          {t('{failedCalls} failed', { failedCalls: stats.failedCalls })}
        </Text>
      )}
    </>
  );
}
