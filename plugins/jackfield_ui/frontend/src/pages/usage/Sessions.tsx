import { Text, Title } from '@mantine/core';
import { useState } from 'react';
import { type Column, DataTable } from '../../components/DataTable';
import { Count, Money, RelativeTime } from '../../components/values';
import { t } from '../../language/messages';
import type { Filter, Row } from './model';
import { useSessions } from './queries';

const FIRST = 10;
const MORE = 50;

export function Sessions({ filter }: { filter: Filter }) {
  const [limit, setLimit] = useState(FIRST);
  const report = useSessions(filter, limit);
  return (
    <section>
      <Title order={2} mb="sm">
        {t('Sessions')}
      </Title>
      <DataTable
        label={t('Sessions')}
        columns={COLUMNS}
        rows={report.data?.rows}
        rowKey={(row) => `${row.agent}/${row.session}/${row.project ?? ''}/${row.profile ?? ''}`}
        error={report.error}
        onRetry={() => void report.refetch()}
        empty={
          <Text c="dimmed" p="md">
            {t('Nothing was used in this period.')}
          </Text>
        }
        more={{
          has: (report.data?.left_out ?? 0) > 0,
          loading: report.isFetching,
          onMore: () => setLimit(limit + MORE),
        }}
      />
    </section>
  );
}

const COLUMNS: Column<Row>[] = [
  {
    key: 'session',
    title: t('Session'),
    primary: true,
    render: (row) => (
      <>
        <span title={String(row.project ?? '')}>{lastPart(row.project) || String(row.profile || t('No project'))}</span>
        <Text size="xs" c="dimmed" fw={400} className="jf-mono" style={{ overflowWrap: 'anywhere' }}>
          {String(row.session ?? '')}
        </Text>
      </>
    ),
  },
  { key: 'agent', title: t('Agent'), render: (row) => <span className="jf-nowrap">{String(row.agent ?? '')}</span> },
  { key: 'models', title: t('Models'), render: (row) => <Text size="sm">{row.models.join(', ')}</Text> },
  { key: 'answers', title: t('Answers'), align: 'end', render: (row) => <Count value={row.answers} /> },
  { key: 'tokens', title: t('Tokens'), align: 'end', render: (row) => <Count value={row.total_tokens} short /> },
  { key: 'cost', title: t('Cost'), align: 'end', render: (row) => <Money value={row.cost.total_cost} /> },
  { key: 'used', title: t('Last used'), align: 'end', render: (row) => <RelativeTime time={row.last_used} /> },
];

/** Of the directory that the agent worked in, its own name. */
function lastPart(project: unknown): string {
  return typeof project === 'string' ? (project.split(/[\\/]/).filter(Boolean).at(-1) ?? project) : '';
}
