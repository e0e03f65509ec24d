import { Group, Text, Title } from '@mantine/core';
import { useMemo } from 'react';
import { type Column, DataTable } from '../../components/DataTable';
import { percent } from '../../components/format';
import { Count, Money, RelativeTime } from '../../components/values';
import { t } from '../../language/messages';
import { BY, type Filter, PARTS, type Part, REPORTS, type Row } from './model';
import { useParts } from './queries';
import classes from './usage.module.css';

/** The sums of each model, profile, provider or agent. */
export function Parts({ filter, part }: { filter: Filter; part: Part }) {
  const report = useParts(filter, part);
  const columns = useMemo(
    () => columnsOf(part, report.data?.totals.cost.total_cost ?? 0, new Set(report.data?.unpriced)),
    [part, report.data],
  );
  const title = BY[part];
  return (
    <section>
      <Title order={2} mb="sm">
        {title}
      </Title>
      <DataTable
        label={title}
        columns={columns}
        rows={report.data?.rows}
        rowKey={(row) => String(row[part] ?? '')}
        error={report.error}
        onRetry={() => void report.refetch()}
        initialSort={{ key: 'cost', descending: true }}
        empty={
          <Text c="dimmed" p="md">
            {t('Nothing was used in this period.')}
          </Text>
        }
      />
    </section>
  );
}

function columnsOf(part: Part, whole: number, unpriced: ReadonlySet<string>): Column<Row>[] {
  const { none } = REPORTS[part];
  const label = PARTS.find(({ value }) => value === part)?.label ?? '';
  return [
    {
      key: 'name',
      title: label,
      primary: true,
      sort: (row) => String(row[part] ?? ''),
      render: (row) =>
        row[part] ? (
          String(row[part])
        ) : (
          <Text c="dimmed" span>
            {none}
          </Text>
        ),
    },
    {
      key: 'share',
      title: t('Share of cost'),
      width: '20%',
      render: (row) => <Share value={whole ? row.cost.total_cost / whole : 0} />,
    },
    {
      key: 'answers',
      title: t('Answers'),
      align: 'end',
      sort: (row) => row.answers,
      render: (row) => <Count value={row.answers} />,
    },
    {
      key: 'input',
      title: t('Input'),
      align: 'end',
      sort: (row) => row.tokens.input_tokens,
      render: (row) => <Count value={row.tokens.input_tokens} short />,
    },
    {
      key: 'output',
      title: t('Output'),
      align: 'end',
      sort: (row) => row.tokens.output_tokens,
      render: (row) => <Count value={row.tokens.output_tokens} short />,
    },
    {
      key: 'cache',
      title: t('Cache'),
      align: 'end',
      sort: (row) => row.tokens.cache_read_input_tokens + row.tokens.cache_creation_input_tokens,
      render: (row) => (
        <Count value={row.tokens.cache_read_input_tokens + row.tokens.cache_creation_input_tokens} short />
      ),
    },
    {
      key: 'cost',
      title: t('Cost'),
      align: 'end',
      sort: (row) => row.cost.total_cost,
      render: (row) =>
        part === 'model' && unpriced.has(String(row[part])) ? (
          <Text c="dimmed" span>
            {t('no price')}
          </Text>
        ) : (
          <Money value={row.cost.total_cost} />
        ),
    },
    {
      key: 'used',
      title: t('Last used'),
      align: 'end',
      sort: (row) => row.last_used,
      render: (row) => <RelativeTime time={row.last_used} />,
    },
  ];
}

function Share({ value }: { value: number }) {
  return (
    <Group gap="sm" wrap="nowrap">
      <div className={classes.track} aria-hidden="true">
        <div className={classes.bar} style={{ width: `${Math.round(value * 100)}%` }} />
      </div>
      <Text size="xs" c="dimmed" className={classes.share}>
        {percent(value)}
      </Text>
    </Group>
  );
}
