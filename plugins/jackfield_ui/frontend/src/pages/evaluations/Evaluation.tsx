import { Button, Group, Menu, Paper, SegmentedControl, Skeleton, Stack, Tabs } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { areaPath } from '../../app/areas';
import { useMay } from '../../app/session';
import { Chart } from '../../components/Chart';
import { confirm } from '../../components/confirm';
import { Failure } from '../../components/Failure';
import { duration, money } from '../../components/format';
import { notifyDone, notifyError } from '../../components/notify';
import { Page } from '../../components/Page';
import { IconDots, IconPlayerPlay, IconTrash } from '../../icons/drawn';
import { t } from '../../language/messages';
import { DefinitionForm } from './DefinitionForm';
import {
  changeEvaluation,
  deleteEvaluation,
  type EvaluationRun,
  KEY,
  runPath,
  startEvaluation,
  useEvaluation,
  useEvaluationEvents,
  useEvaluationRuns,
} from './queries';
import { Runs } from './Runs';
import { scoreText } from './scores';

const CRUMBS = [{ label: t('Evaluations'), to: areaPath('evaluations') }];

export default function Evaluation() {
  const { name = '' } = useParams();
  const may = useMay('member');
  const client = useQueryClient();
  const navigate = useNavigate();
  const found = useEvaluation(name);
  const runs = useEvaluationRuns(name);
  useEvaluationEvents();
  const read = () => client.invalidateQueries({ queryKey: KEY });
  const start = useMutation({
    mutationFn: () => startEvaluation(name),
    onSuccess: (run) => void navigate(runPath(run)),
    onError: (error) => notifyError(error),
    onSettled: read,
  });
  const save = useMutation({
    mutationFn: (definition: Parameters<typeof changeEvaluation>[1]) => changeEvaluation(name, definition),
    onSuccess: ({ version }) => notifyDone(t('Version {version} of {name} is saved.', { version, name })),
    onSettled: read,
  });
  const remove = async () => {
    const body = t('Its runs and their rows are deleted, too. The data table and the executions stay.');
    if (!(await confirm({ title: t('Delete the evaluation “{name}”?', { name }), body, action: t('Delete') }))) return;
    try {
      await deleteEvaluation(name);
      void navigate(areaPath('evaluations'));
      void read();
    } catch (error) {
      notifyError(error);
    }
  };
  const actions = may && (
    <>
      <Button
        leftSection={<IconPlayerPlay size={16} aria-hidden="true" />}
        loading={start.isPending}
        onClick={() => start.mutate()}
      >
        {t('Run')}
      </Button>
      <Menu>
        <Menu.Target>
          <Button variant="default" aria-label={t('More about {name}', { name })} px="xs">
            <IconDots size={16} aria-hidden="true" />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item color="red" leftSection={<IconTrash size={16} aria-hidden="true" />} onClick={() => void remove()}>
            {t('Delete')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
  if (found.error && !found.data) {
    return (
      <Page title={name} crumbs={CRUMBS}>
        <Failure error={found.error} onRetry={() => void found.refetch()} />
      </Page>
    );
  }
  return (
    <Page title={name} crumbs={CRUMBS} subtitle={String(found.data?.definition.description ?? '')} actions={actions}>
      <Tabs defaultValue="runs" keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="runs">{t('Runs')}</Tabs.Tab>
          <Tabs.Tab value="definition">{t('Definition')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="runs">
          <Stack>
            <OverTime runs={runs.data?.data} />
            <Runs name={name} runs={runs.data?.data} error={runs.error} onRetry={() => void runs.refetch()} />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="definition">
          {found.data ? (
            <DefinitionForm
              key={found.data.version}
              definition={found.data.definition}
              readOnly={!may}
              onSave={(definition) => save.mutateAsync({ ...definition, version: found.data.version })}
            />
          ) : (
            <Skeleton height={240} />
          )}
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

const MEASURES = [
  { value: 'score', label: t('Score') },
  { value: 'cost', label: t('Cost') },
  { value: 'time', label: t('Time') },
];
const FORMATS: Record<string, (value: number) => string> = { score: scoreText, cost: money, time: duration };

function measured({ totals }: EvaluationRun, measure: string): number | null {
  if (measure === 'cost') return totals.cost;
  return measure === 'time' ? totals.durationMs : totals.score;
}

function OverTime({ runs }: { runs: readonly EvaluationRun[] | undefined }) {
  const [measure, setMeasure] = useState('score');
  const drawn = useMemo(() => {
    const ended = [...(runs ?? [])].filter(({ status }) => status !== 'running').reverse();
    const named = MEASURES.find(({ value }) => value === measure)?.label ?? '';
    return {
      labels: ended.map(({ number, version }) => t('Run {number}, version {version}', { number, version })),
      series: [{ name: named, values: ended.map((run) => measured(run, measure)) }],
    };
  }, [runs, measure]);
  if (drawn.labels.length < 2) return null;
  return (
    <Paper p="md" component="section" aria-label={t('Runs over time')}>
      <Group mb="md">
        <SegmentedControl
          size="xs"
          aria-label={t('Value of the chart')}
          data={MEASURES}
          value={measure}
          onChange={setMeasure}
        />
      </Group>
      <Chart
        label={t('{name} by run', { name: drawn.series[0]?.name })}
        labels={drawn.labels}
        series={drawn.series}
        kind="bars"
        format={FORMATS[measure] ?? scoreText}
      />
    </Paper>
  );
}
