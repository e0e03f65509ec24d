import { Title } from '@mantine/core';
import { type Column, DataTable } from '../../components/DataTable';
import { percent } from '../../components/format';
import { Count, Duration } from '../../components/values';
import { type Insights, minutes } from './model';

type Row = Insights['projects'][number];
const SHARED = 'jackfield';

const COLUMNS: Column<Row>[] = [
  {
    key: 'name',
    title: 'Project',
    primary: true,
    sort: (row) => row.name ?? '',
    render: (row) => row.name ?? (row.projectId === SHARED ? 'Shared' : 'Personal project'),
  },
  {
    key: 'total',
    title: 'Executions',
    align: 'end',
    sort: (row) => row.total,
    render: (row) => <Count value={row.total} />,
  },
  {
    key: 'rate',
    title: 'Failure rate',
    align: 'end',
    sort: (row) => row.failureRate,
    render: (row) => percent(row.failureRate),
  },
  {
    key: 'saved',
    title: 'Time saved',
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
        By project
      </Title>
      <DataTable
        label="By project"
        columns={COLUMNS}
        rows={insights?.projects}
        rowKey={(row) => row.projectId}
        initialSort={{ key: 'total', descending: true }}
      />
    </section>
  );
}
