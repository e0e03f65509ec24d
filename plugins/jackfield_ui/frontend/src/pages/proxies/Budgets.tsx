import { Group, Progress, Stack, Text } from '@mantine/core';
import type { ProxyState } from '../../api/types';
import { compact, money, percent } from '../../components/format';
import { RelativeTime } from '../../components/values';
import { rich, t } from '../../language/messages';

interface Budget {
  period: 'day' | 'month';
  unit: 'usd' | 'tokens';
  limit: number;
  spent: number;
  resets_at: string;
}

const WARN = 0.8;

/** What is spent of each budget; `short` for a table. */
export function BudgetBars({ proxy, short = false }: { proxy: ProxyState; short?: boolean }) {
  const budgets = proxy.budgets as unknown as Budget[];
  if (budgets.length === 0) return <Text c="dimmed">{t('none')}</Text>;
  return (
    <Stack gap={short ? 4 : 'sm'}>
      {budgets.map((budget) => (
        <Bar key={budget.period + budget.unit} budget={budget} short={short} />
      ))}
    </Stack>
  );
}

function Bar({ budget: { period, unit, limit, spent, resets_at }, short }: { budget: Budget; short: boolean }) {
  const share = limit > 0 ? spent / limit : 0;
  const write = unit === 'usd' ? money : (value: number) => t('{value} tokens', { value: compact(value) });
  const text =
    period === 'day'
      ? t('{spent} of {limit} a day', { spent: write(spent), limit: write(limit) })
      : t('{spent} of {limit} a month', { spent: write(spent), limit: write(limit) });
  const over = share >= 1;
  const colour = over ? 'var(--jf-bad)' : share >= WARN ? 'var(--jf-warn)' : 'var(--mantine-primary-color-filled)';
  return (
    <div>
      <Group justify="space-between" gap="sm" wrap="nowrap">
        <Text size="xs" ta="start">
          {text}
        </Text>
        <Text size="xs" c={over ? 'var(--jf-bad)' : 'dimmed'} className="jf-nowrap">
          {over ? t('used up') : percent(share)}
        </Text>
      </Group>
      <Progress value={Math.min(100, share * 100)} color={colour} size="xs" aria-label={text} />
      {!short && (
        <Text size="xs" c="dimmed">
          {rich('resets {resetsAt}', { resetsAt: <RelativeTime time={resets_at} /> })}
        </Text>
      )}
    </div>
  );
}
