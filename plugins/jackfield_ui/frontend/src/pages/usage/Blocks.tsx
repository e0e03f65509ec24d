import { Paper, Progress, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useMemo, useState } from 'react';
import { type Column, DataTable } from '../../components/DataTable';
import { duration } from '../../components/format';
import { StatusBadge } from '../../components/StatusBadge';
import { Count, Money, useNow } from '../../components/values';
import { locale, rich, t } from '../../language/messages';
import type { Filter } from './model';
import { type Block, useBlocks } from './queries';

const FIRST = 8;
const MORE = 40;

/** Windows of five hours, as subscriptions count them: the present one with where it leads, and those before. */
export function Blocks({ filter }: { filter: Filter }) {
  const [limit, setLimit] = useState(FIRST);
  const report = useBlocks(filter, limit);
  const active = report.data?.blocks.find((block) => block.active);
  const rows = useMemo(() => report.data?.blocks.filter((block) => !block.gap), [report.data]);
  return (
    <section>
      <Title order={2} mb="sm">
        {t('Blocks of 5 hours')}
      </Title>
      <Stack gap="md">
        {active && <Active block={active} />}
        <DataTable
          label={t('Blocks of 5 hours')}
          columns={COLUMNS}
          rows={rows}
          rowKey={(block) => block.start}
          error={report.error}
          onRetry={() => void report.refetch()}
          empty={
            <Text c="dimmed" p="md">
              {t('No block begins in this period.')}
            </Text>
          }
          more={{
            has: (report.data?.left_out ?? 0) > 0,
            loading: report.isFetching,
            onMore: () => setLimit(limit + MORE),
          }}
        />
      </Stack>
    </section>
  );
}

function Active({ block }: { block: Block }) {
  const now = useNow();
  const [start, end] = [Date.parse(block.start), Date.parse(block.end)];
  const gone = Math.min(1, Math.max(0, (now - start) / (end - start)));
  const { burn_rate: rate, projection } = block;
  return (
    <Paper p="md" role="group" aria-label={t('The active block')}>
      <Text fw={600} mb="xs">
        {t('The active block ends at {clock}, in {max}', {
          clock: clock(block.end),
          max: duration(Math.max(0, end - now)),
        })}
      </Text>
      <Progress value={gone * 100} size="sm" mb="md" aria-label={t('Time of the block that has passed')} />
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="md">
        <Fact label={t('Used so far')}>
          {rich('{totalTokens} tokens, {totalCost}', {
            totalTokens: <Count value={block.total_tokens ?? 0} short />,
            totalCost: <Money value={block.cost?.total_cost ?? 0} />,
          })}
        </Fact>
        <Fact label={t('Rate')}>
          {rate
            ? rich('{tokensPerMinute} tokens a minute', {
                tokensPerMinute: <Count value={rate.tokens_per_minute} short />,
              })
            : t('after the second answer')}
        </Fact>
        <Fact label={t('Cost an hour')}>{rate ? <Money value={rate.cost_per_hour} /> : '–'}</Fact>
        <Fact label={t('Projected total')}>
          {projection
            ? rich('{totalTokens} tokens, {totalCost}', {
                totalTokens: <Count value={projection.total_tokens} short />,
                totalCost: <Money value={projection.total_cost} />,
              })
            : '–'}
        </Fact>
      </SimpleGrid>
    </Paper>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <div>{children}</div>
    </div>
  );
}

function clock(time: string): string {
  return new Intl.DateTimeFormat(locale(), { timeStyle: 'short' }).format(new Date(time));
}

function when(block: Block): string {
  const format = new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'short' });
  return `${format.format(new Date(block.start))} – ${clock(block.end)}`;
}

const COLUMNS: Column<Block>[] = [
  { key: 'time', title: t('Time'), primary: true, render: when },
  {
    key: 'state',
    title: t('State'),
    render: (block) => (
      <StatusBadge status={block.active ? 'active' : 'ended'} tone={block.active ? 'good' : 'still'} />
    ),
  },
  { key: 'models', title: t('Models'), render: (block) => <Text size="sm">{block.models?.join(', ')}</Text> },
  { key: 'answers', title: t('Answers'), align: 'end', render: (block) => <Count value={block.answers ?? 0} /> },
  {
    key: 'tokens',
    title: t('Tokens'),
    align: 'end',
    render: (block) => <Count value={block.total_tokens ?? 0} short />,
  },
  { key: 'cost', title: t('Cost'), align: 'end', render: (block) => <Money value={block.cost?.total_cost ?? 0} /> },
];
