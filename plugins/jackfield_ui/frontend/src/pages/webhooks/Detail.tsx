import { Button, Paper, Skeleton, Tabs } from '@mantine/core';
import { useState } from 'react';
import { Link, useParams, useSearchParams } from 'react-router';
import { segment } from '../../api/client';
import { areaPath } from '../../app/areas';
import { hasArea } from '../../app/pages';
import blocks from '../../components/blocks.module.css';
import { Copyable } from '../../components/Copyable';
import { Failure } from '../../components/Failure';
import { Page } from '../../components/Page';
import { StatusBadge } from '../../components/StatusBadge';
import { Count, RelativeTime } from '../../components/values';
import { IconRoute } from '../../icons/drawn';
import { rich, t } from '../../language/messages';
import { CallList } from './CallList';
import { authenticationName } from './index';
import { type Call, useWebhook, useWebhookEvents, type Webhook } from './queries';
import { Try } from './Try';

const CRUMBS = [{ label: t('Webhooks'), to: areaPath('webhooks') }];

export default function Detail() {
  const { id = '' } = useParams();
  const { data: webhook, error, refetch } = useWebhook(id);
  const [params, setParams] = useSearchParams();
  const [again, setAgain] = useState<Call>();
  useWebhookEvents();
  const tab = params.get('tab') === 'try' ? 'try' : 'calls';
  const show = (next: string | null) => setParams(next === 'try' ? { tab: 'try' } : {}, { replace: true });
  const sendAgain = (call: Call) => {
    setAgain(call);
    show('try');
  };
  return (
    <Page
      title={webhook ? `${webhook.method} ${webhook.path}` : t('Webhook')}
      crumbs={CRUMBS}
      badge={webhook && <StatusBadge status={webhook.active ? 'active' : 'inactive'} />}
      actions={
        webhook &&
        hasArea('workflows') && (
          <Button
            component={Link}
            to={`${areaPath('workflows')}/${segment(webhook.workflowId)}`}
            variant="default"
            leftSection={<IconRoute size={16} aria-hidden="true" />}
          >
            {t('Open workflow')}
          </Button>
        )
      }
    >
      {error && !webhook ? <Failure error={error} onRetry={() => void refetch()} /> : <About webhook={webhook} />}
      <Tabs value={tab} onChange={show} mt="lg" keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="calls">{t('Calls')}</Tabs.Tab>
          <Tabs.Tab value="try">{t('Try a call')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="calls">
          <CallList id={id} webhook={webhook} onSendAgain={sendAgain} />
        </Tabs.Panel>
        <Tabs.Panel value="try">{webhook && <Try key={again?.id} webhook={webhook} call={again} />}</Tabs.Panel>
      </Tabs>
    </Page>
  );
}

const ANSWERS: Record<string, string> = {
  onReceived: t('At once, with the execution’s id'),
  lastNode: t('With what the last node puts out'),
  responseNode: t('As the Respond to Webhook node says'),
};

function About({ webhook }: { webhook: Webhook | undefined }) {
  if (!webhook) return <Skeleton height={150} />;
  const { url, workflowName, authentication, authConfig, responseMode, stats } = webhook;
  const calls = {
    all: <Count value={stats.totalCalls} />,
    succeeded: <Count value={stats.successCalls} />,
    failed: <Count value={stats.failedCalls} />,
    rejected: <Count value={stats.rejectedCalls} />,
    time: <RelativeTime time={stats.lastCall} />,
  };
  return (
    <Paper p="md">
      <dl className={blocks.facts}>
        <dt>URL</dt>
        <dd>
          <Copyable text={url} label={t('the URL')} />
        </dd>
        <dt>{t('Workflow')}</dt>
        <dd>{workflowName}</dd>
        <dt>{t('Lets in')}</dt>
        <dd>
          {authenticationName(authentication)}
          {typeof authConfig?.headerName === 'string' && ` (${authConfig.headerName})`}
        </dd>
        <dt>{t('Answers')}</dt>
        <dd>{ANSWERS[responseMode] ?? responseMode}</dd>
        <dt>{t('Calls')}</dt>
        <dd>
          {stats.rejectedCalls > 0
            ? rich('{all}, {succeeded} succeeded, {failed} failed, {rejected} rejected, last {time}', calls)
            : rich('{all}, {succeeded} succeeded, {failed} failed, last {time}', calls)}
        </dd>
      </dl>
    </Paper>
  );
}
