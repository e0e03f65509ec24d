import { Alert, Button, Group, Select, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, body } from '../../../api/client';
import { ApiError } from '../../../api/errors';
import { oneOf, useCursor } from '../../../api/paging';
import type { Schemas } from '../../../api/types';
import { useMay } from '../../../app/session';
import { type Column, DataTable } from '../../../components/DataTable';
import { EmptyState } from '../../../components/EmptyState';
import { count } from '../../../components/format';
import { notifyError } from '../../../components/notify';
import { StatusBadge, type Tone } from '../../../components/StatusBadge';
import { RelativeTime } from '../../../components/values';
import { IconDownload, IconFileSearch, IconShieldCheck, IconShieldLock } from '../../../icons/drawn';
import { t } from '../../../language/messages';
import { Section } from '../Section';

type Act = Schemas['AuditRecordShown'];

const PATH = '/api/v1/audit';
const KEY = ['audit'];
const LIMIT = 50;
const WORDS = ['success', 'refused', 'failed'] as const;
const OUTCOMES = [
  { value: '', label: t('All outcomes') },
  { value: 'success', label: t('Succeeded') },
  { value: 'refused', label: t('Refused') },
  { value: 'failed', label: t('Failed') },
];
const TONES: Record<Act['outcome'], Tone> = { success: 'good', refused: 'warn', failed: 'bad' };

export default function AuditLog() {
  const admin = useMay('admin');
  const [text, setText] = useState('');
  const [outcome, setOutcome] = useState('');
  const [act] = useDebouncedValue(text.trim(), 250);
  const query = { act, outcome: oneOf(WORDS, outcome) };
  const list = useCursor([...KEY, act, outcome], async (before, signal) => {
    const asked = { ...query, limit: LIMIT, before: before ? Number(before) : undefined };
    const page = await body(api.GET(PATH, { params: { query: asked }, signal }));
    return { rows: page.data, next: page.next === null ? null : String(page.next) };
  });
  const refused = list.error instanceof ApiError && list.error.status === 403;
  return (
    <Section
      title={t('Audit log')}
      about={t('Every action that changes or reveals something, in a chain that nobody can change unnoticed.')}
      action={
        !refused && (
          <Group gap="sm">
            {admin && <Check />}
            <Button
              component="a"
              variant="default"
              href={`${PATH}/export?${new URLSearchParams({ format: 'csv', act, outcome })}`}
              download
              leftSection={<IconDownload size={16} aria-hidden="true" />}
            >
              {t('Export')}
            </Button>
          </Group>
        )
      }
    >
      {refused ? (
        <EmptyState icon={IconShieldLock} title={t('Only administrators see the audit log')}>
          {t('Administrators of a project see the records of their project.')}
        </EmptyState>
      ) : (
        <>
          <Group gap="sm" mb="md">
            <TextInput
              aria-label={t('Action')}
              placeholder={t('workflow.update, or workflow.')}
              maxLength={200}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
              w={{ base: '100%', xs: 280 }}
            />
            <Select
              aria-label={t('Outcome')}
              data={OUTCOMES}
              value={outcome}
              allowDeselect={false}
              onChange={(next) => setOutcome(next ?? '')}
              w={180}
            />
          </Group>
          <DataTable
            label={t('Audit log')}
            columns={COLUMNS}
            rows={list.rows}
            rowKey={({ number }) => String(number)}
            error={list.error}
            onRetry={() => void list.refetch()}
            more={list.more}
            empty={
              <EmptyState icon={IconFileSearch} title={t('No records')}>
                {t('Show all outcomes, or choose another action.')}
              </EmptyState>
            }
          />
        </>
      )}
    </Section>
  );
}

function Check() {
  const [open, setOpen] = useState(false);
  const { mutate, data, isPending } = useMutation({
    mutationFn: () => body(api.GET('/api/v1/audit/verification')),
    onSuccess: () => setOpen(true),
    onError: (error) => notifyError(error, t('The chain was not checked')),
  });
  return (
    <>
      <Button
        variant="default"
        loading={isPending}
        leftSection={<IconShieldCheck size={16} aria-hidden="true" />}
        onClick={() => mutate()}
      >
        {t('Check the chain')}
      </Button>
      {open && data && (
        <Alert
          color={data.whole ? 'green' : 'red'}
          role={data.whole ? 'status' : 'alert'}
          withCloseButton
          closeButtonLabel={t('Close')}
          onClose={() => setOpen(false)}
        >
          {data.whole ? t('The chain is whole: {records} records.', { records: count(data.records) }) : data.problem}
        </Alert>
      )}
    </>
  );
}

function Who({ actor: { name, id, method, address, agent } }: Pick<Act, 'actor'>) {
  return (
    <>
      {agent ? t('{agent} (for {name})', { agent, name }) : name || id || t('Nobody')}
      <Text size="sm" c="dimmed">
        {[method, address].filter(Boolean).join(', ')}
      </Text>
    </>
  );
}

const COLUMNS: Column<Act>[] = [
  { key: 'time', title: t('Time'), width: 130, render: ({ time }) => <RelativeTime time={time} /> },
  {
    key: 'act',
    title: t('Action'),
    primary: true,
    render: ({ act, fields }) => (
      <>
        <span className="jf-mono">{act}</span>
        {fields.length > 0 && (
          <Text size="sm" c="dimmed" lineClamp={1}>
            {fields.join(', ')}
          </Text>
        )}
      </>
    ),
  },
  { key: 'actor', title: t('Actor'), render: ({ actor }) => <Who actor={actor} /> },
  {
    key: 'subject',
    title: t('About'),
    render: ({ name, subject }) => (
      <>
        {name || (subject ? '' : '–')}
        <Text size="sm" c="dimmed" className="jf-mono" style={{ overflowWrap: 'anywhere' }}>
          {subject}
        </Text>
      </>
    ),
  },
  {
    key: 'outcome',
    title: t('Outcome'),
    width: 140,
    render: ({ outcome, code }) => (
      <>
        <StatusBadge status={outcome} tone={TONES[outcome]} />
        {code && (
          <Text size="sm" c="dimmed" className="jf-mono">
            {code}
          </Text>
        )}
      </>
    ),
  },
];
