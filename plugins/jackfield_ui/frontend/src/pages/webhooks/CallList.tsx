import { Button, Select, Text } from '@mantine/core';
import { useState } from 'react';
import { api, body } from '../../api/client';
import { oneOf, usePaged } from '../../api/paging';
import { CopyIcon } from '../../components/Copyable';
import { type Column, DataTable } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { StatusBadge } from '../../components/StatusBadge';
import { Duration, RelativeTime } from '../../components/values';
import { IconWebhook } from '../../icons/drawn';
import { t } from '../../language/messages';
import { CallDrawer } from './CallDrawer';
import { curl } from './curl';
import type { Call, Webhook } from './queries';

const PER_PAGE = 20;
const RESULTS = ['success', 'failed', 'rejected', 'timeout', 'pending'] as const;
const KINDS = [
  { value: '', label: t('All calls') },
  { value: 'success', label: t('Succeeded') },
  { value: 'failed', label: t('Failed') },
  { value: 'rejected', label: t('Rejected') },
  { value: 'timeout', label: t('No answer in time') },
  { value: 'pending', label: t('Still running') },
];

/** The calls as they come, the newest first. */
export function CallList({
  id,
  webhook,
  onSendAgain,
}: {
  id: string;
  webhook: Webhook | undefined;
  onSendAgain: (call: Call) => void;
}) {
  const [status, setStatus] = useState('');
  const [opened, setOpened] = useState<Call>();
  const calls = usePaged(
    ['webhooks', 'calls', id, status],
    (page, signal) => {
      const params = { path: { ident: id }, query: { status: oneOf(RESULTS, status), ...page } };
      return body(api.GET('/api/v1/webhooks/{ident}/history', { params, signal }));
    },
    PER_PAGE,
  );
  // A call that was still running when it was opened is shown as it is now.
  const shown = calls.rows?.find((call) => call.id === opened?.id) ?? opened;
  const example = webhook && curl({ method: webhook.method, url: webhook.url, headers: [], body: '' });
  return (
    <>
      <Select
        aria-label={t('Calls shown')}
        data={KINDS}
        value={status}
        allowDeselect={false}
        onChange={(next) => setStatus(next ?? '')}
        w={190}
        mb="sm"
      />
      <DataTable
        label={t('Calls')}
        columns={columnsWith(setOpened)}
        rows={calls.rows}
        rowKey={(call) => call.id}
        error={calls.error}
        onRetry={() => void calls.refetch()}
        paging={calls.paging}
        onOpen={setOpened}
        empty={
          status ? (
            <EmptyState icon={IconWebhook} title={t('No call matches')}>
              {t('Show all calls, or choose another result.')}
            </EmptyState>
          ) : (
            <EmptyState icon={IconWebhook} title={t('No calls yet')}>
              {t('Call it from a shell, or fill in “Try a call”. Calls show here as they come.')}
              {example && (
                <Text className="jf-mono" size="sm" mt="sm" style={{ overflowWrap: 'anywhere' }}>
                  {example} <CopyIcon text={example} label={t('the command')} />
                </Text>
              )}
            </EmptyState>
          )
        }
      />
      {webhook && (
        <CallDrawer
          webhook={webhook}
          call={opened && shown}
          onClose={() => setOpened(undefined)}
          onSendAgain={onSendAgain}
        />
      )}
    </>
  );
}

const TONES = {
  rejected: { tone: 'warn', label: t('Rejected') },
  timeout: { tone: 'bad', label: t('No answer in time') },
  pending: { tone: 'busy', label: t('Running') },
} as const;

export function CallStatus({ status }: { status: string }) {
  return <StatusBadge status={status} {...(TONES[status as keyof typeof TONES] ?? {})} />;
}

function columnsWith(open: (call: Call) => void): Column<Call>[] {
  return [
    {
      key: 'time',
      title: t('Time'),
      primary: true,
      render: (call) => (
        <Button variant="transparent" size="compact-sm" p={0} c="inherit" onClick={() => open(call)}>
          <RelativeTime time={call.timestamp} />
        </Button>
      ),
    },
    { key: 'status', title: t('Result'), render: ({ status }) => <CallStatus status={status} /> },
    {
      key: 'method',
      title: t('Method'),
      render: ({ requestMethod }) => <span className="jf-mono">{requestMethod}</span>,
    },
    { key: 'answer', title: t('Answer'), align: 'end', render: ({ responseStatus }) => responseStatus ?? '–' },
    {
      key: 'took',
      title: t('Took'),
      align: 'end',
      render: ({ duration }) => (typeof duration === 'number' ? <Duration ms={duration} /> : '–'),
    },
  ];
}
