import { Group, Paper, SegmentedControl, Select, Skeleton, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { Usage } from '../../api/types';
import { Chart } from '../../components/Chart';
import { Failure } from '../../components/Failure';
import { compact, money } from '../../components/format';
import { locale, t } from '../../language/messages';
import {
  amount,
  BY,
  dayOf,
  type Filter,
  KEYS,
  type Measure,
  PARTS,
  type Part,
  REPORTS,
  type Row,
  seriesOf,
  stepOf,
  stepsBetween,
} from './model';
import { reportQuery, useParts, useSteps } from './queries';

const HEIGHT = 240;
const WORDS = { daily: t('day'), weekly: t('week'), monthly: t('month') };
const PART_WORDS: Record<string, string> = {
  model: t('model'),
  profile: t('profile'),
  provider: t('provider'),
  agent: t('agent'),
};
const MEASURES = [
  { value: 'cost', label: t('Cost') },
  { value: 'tokens', label: t('Tokens') },
];

/** Bars by day, week or month, divided by a part; of a single day the parts themselves. */
export function Steps({
  filter,
  days,
  part,
  onPart,
}: {
  filter: Filter;
  days: Usage | undefined;
  part: Part;
  onPart: (part: Part) => void;
}) {
  const [measure, setMeasure] = useState<Measure>('cost');
  const single = filter.period === 'today' || filter.period === 'yesterday';
  const step = stepOf(Object.keys(days?.aggregates.by_date ?? {}));
  const steps = useSteps(filter, step, part, !single && days !== undefined);
  const parts = useParts(filter, part);
  const found = single ? parts : steps;
  const rows = found.data?.rows;
  const { none } = REPORTS[part];
  const { since, until } = reportQuery(filter);

  const drawn = useMemo(() => {
    if (!rows?.length) return { labels: [], series: [] };
    if (single) {
      const sorted = [...rows].sort((a, b) => amount(b, measure) - amount(a, measure)).slice(0, 12);
      const labels = sorted.map((row) => String(row[part] || none));
      return {
        labels,
        series: [
          { name: measure === 'cost' ? t('Cost') : t('Tokens'), values: sorted.map((row) => amount(row, measure)) },
        ],
      };
    }
    const named = (row: Row | undefined) => String(row?.[KEYS[step]] ?? '');
    const given =
      step === 'daily' && since && until ? [String(since), String(until)] : [named(rows[0]), named(rows.at(-1))];
    const keys = stepsBetween(step, given[0] ?? '', given[1] ?? '');
    return { labels: keys.map((key) => dayLabel(key)), series: seriesOf(rows, keys, { step, part, measure, none }) };
  }, [rows, single, step, part, measure, none, since, until]);

  const what = measure === 'cost' ? t('Cost') : t('Tokens');
  const label = single
    ? t('{measure} by {part}', { measure: what, part: PART_WORDS[part] ?? part })
    : t('{measure} by {step} and {part}', { measure: what, step: WORDS[step], part: PART_WORDS[part] ?? part });
  return (
    <Paper p="md" component="section" aria-label={t('Chart')}>
      <Group gap="sm" mb="md">
        <SegmentedControl
          size="xs"
          aria-label={t('Value of the chart')}
          data={MEASURES}
          value={measure}
          onChange={(value) => setMeasure(value === 'tokens' ? 'tokens' : 'cost')}
        />
        <Select
          aria-label={t('Divided by')}
          w={140}
          size="xs"
          allowDeselect={false}
          data={PARTS.map(({ value }) => ({ value, label: BY[value] }))}
          value={part}
          onChange={(value) => onPart(PARTS.find((one) => one.value === value)?.value ?? 'model')}
        />
      </Group>
      {found.error && !rows ? (
        <Failure error={found.error} onRetry={() => void found.refetch()} />
      ) : !rows ? (
        <Skeleton height={HEIGHT + 40} />
      ) : drawn.labels.length === 0 ? (
        <Text c="dimmed" py="xl" ta="center">
          {t('Nothing was used in this period.')}
        </Text>
      ) : (
        <Chart
          label={label}
          labels={drawn.labels}
          series={drawn.series}
          kind="bars"
          format={measure === 'cost' ? money : compact}
          height={HEIGHT}
        />
      )}
    </Paper>
  );
}

function dayLabel(key: string): string {
  const month = key.length === 7;
  const options: Intl.DateTimeFormatOptions = month
    ? { month: 'short', year: '2-digit' }
    : { day: 'numeric', month: 'short' };
  return new Intl.DateTimeFormat(locale(), options).format(dayOf(key));
}
