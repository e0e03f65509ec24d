import { Group, Paper, Select, Skeleton, Stack, Switch } from '@mantine/core';
import { useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { Chart } from '../../components/Chart';
import { Failure } from '../../components/Failure';
import { Page } from '../../components/Page';
import { t } from '../../language/messages';
import { Costs } from './Costs';
import { Figures } from './Figures';
import { type Insights as Found, isPeriod, PERIODS, stepNames } from './model';
import { Projects } from './Projects';
import { useInsights } from './queries';
import { Failing, SlowNodes, Workflows } from './Tables';

const HEIGHT = 240;
const BY_STEP = { hour: t('Executions by hour'), day: t('Executions by day'), week: t('Executions by week') };

export default function Insights() {
  const [search, setSearch] = useSearchParams();
  const asked = search.get('period');
  const period = isPeriod(asked) ? asked : 'week';
  const everything = search.has('all');
  const insights = useInsights(period, everything);
  const change = (name: string, value: string) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (value) next.set(name, value);
        else next.delete(name);
        return next;
      },
      { replace: true },
    );
  return (
    <Page
      title={t('Insights')}
      subtitle={t('Executions that have ended, also those that are no longer in the history.')}
    >
      <Stack gap="lg">
        <Group gap="lg" align="flex-end" role="search" aria-label={t('Filters')}>
          <Select
            label={t('Period')}
            w={{ base: '100%', xs: 180 }}
            data={PERIODS.map(({ value, label }) => ({ value, label }))}
            value={period}
            allowDeselect={false}
            onChange={(value) => change('period', value ?? '')}
          />
          <Switch
            mb={8}
            label={t('Count runs by hand and sub-workflows')}
            checked={everything}
            onChange={(event) => change('all', event.currentTarget.checked ? 'yes' : '')}
          />
        </Group>
        {insights.error && !insights.data ? (
          <Failure error={insights.error} onRetry={() => void insights.refetch()} />
        ) : (
          <>
            <Figures insights={insights.data} />
            <Steps insights={insights.data} />
            <Failing insights={insights.data} />
            <Workflows insights={insights.data} />
            <Projects insights={insights.data} />
          </>
        )}
        <SlowNodes period={period} />
        <Costs period={period} />
      </Stack>
    </Page>
  );
}

function Steps({ insights }: { insights: Found | undefined }) {
  const series = useMemo(
    () =>
      insights
        ? [
            { name: t('Succeeded'), values: insights.steps.map(({ success }) => success) },
            { name: t('Failed'), values: insights.steps.map(({ failed }) => failed) },
            { name: t('Cancelled'), values: insights.steps.map(({ cancelled }) => cancelled) },
          ]
        : [],
    [insights],
  );
  return (
    <Paper p="md" component="section" aria-label={t('Chart')}>
      {insights ? (
        <Chart
          label={BY_STEP[insights.unit]}
          labels={stepNames(insights)}
          series={series}
          kind="bars"
          height={HEIGHT}
        />
      ) : (
        <Skeleton height={HEIGHT + 40} />
      )}
    </Paper>
  );
}
