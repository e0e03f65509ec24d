import { Title } from '@mantine/core';
import { type Column, DataTable } from '../../components/DataTable';
import { percent } from '../../components/format';
import { Count, Duration } from '../../components/values';
import { t } from '../../language/messages';
import { type Insights, minutes } from './model';

type Row = Insights['projects'][number];
const SHARED = 'jackfield';

const COLUMNS: Column<Row>[] = [
  {
    key: 'name',
    title: t('Project'),
    primary: true,
    sort: (row) => row.name ?? '',
    render: (row) => row.name ?? (row.projectId === SHARED ? t('Shared') : t('Personal project')),
  },
  {
    key: 'total',
    title: t('Executions'),
    align: 'end',
    sort: (row) => row.total,
    render: (row) => <Count value={row.total} />,
  },
  {
    key: 'rate',
    title: t('Failure rate'),
    align: 'end',
    sort: (row) => row.failureRate,
    render: (row) => percent(row.failureRate),
  },
  {
    key: 'saved',
    title: t('Time saved'),
    align: 'end',
    sort: (row) => row.timeSavedMinutes,
    render: (row) => <Duration ms={minutes(row.timeSavedMinutes)} />,
  },
];

/** Only where there are several. */
export function Projects({ insights }: { insights: Insights | undefined }) {
  if ((insights?.projects.length ?? 0) < 2) return null;
  return (
    <section>
      <Title order={2} mb="sm">
        {t('By project')}
      </Title>
      <DataTable
        label={t('By project')}
        columns={COLUMNS}
        rows={insights?.projects}
        rowKey={(row) => row.projectId}
        initialSort={{ key: 'total', descending: true }}
      />
    </section>
  );
}
