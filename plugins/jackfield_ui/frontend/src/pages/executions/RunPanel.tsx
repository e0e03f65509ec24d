import { Alert, Button, Group, Paper, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import type { Item } from '../../api/types';
import { moment } from '../../components/format';
import { Items } from '../../components/items/Items';
import { SplitPane } from '../../components/SplitPane';
import { StatusBadge } from '../../components/StatusBadge';
import { useMoreItems } from '../../components/useMoreItems';
import { Duration } from '../../components/values';
import { IconAlertTriangle, IconPlayerPlay } from '../../icons/drawn';
import { phrases, rich, t } from '../../language/messages';
import classes from './executions.module.css';
import { type Input, inputsOf, type Run, type Wire } from './model';

/** One node run: what went in, what came out, and what went wrong. */
export function RunPanel({
  execution,
  run,
  runs,
  wires,
  onRetry,
  retrying,
  wanted,
  onWanted,
}: {
  /** Its id. */
  execution: string;
  run: Run;
  runs: readonly Run[];
  wires: readonly Wire[] | undefined;
  /** Missing where it cannot be run again from here. */
  onRetry: (() => void) | undefined;
  retrying: boolean;
  wanted: string;
  onWanted: (text: string) => void;
}) {
  const narrow = useMediaQuery('(max-width: 62em)', false, { getInitialValueInEffect: false });
  const searching = { wanted, onWanted };
  const inputs = wires ? inputsOf(runs, run, wires) : [];
  const item = run.error?.itemIndex;
  return (
    <Paper p="md" component="section" aria-label={t('Node {node}', { node: run.node })}>
      <Group justify="space-between" mb="md" gap="sm">
        <div>
          <Group gap="sm">
            <Title order={2} style={{ overflowWrap: 'anywhere' }}>
              {run.node}
            </Title>
            <StatusBadge status={run.status} />
          </Group>
          <Text size="sm" c="dimmed">
            {rich('{time}, took {duration}', {
              time: moment(new Date(run.startedAt)),
              duration: <Duration ms={run.duration} />,
            })}
            {run.run > 0 && `, ${t('run {run} of this node', { run: run.run + 1 })}`}
            {run.reused && `, ${t('in an earlier execution')}`}
          </Text>
        </div>
        {onRetry && (
          <Button
            variant="default"
            loading={retrying}
            leftSection={<IconPlayerPlay size={16} aria-hidden="true" />}
            onClick={onRetry}
          >
            {t('Retry from here')}
          </Button>
        )}
      </Group>
      {run.error && (
        <Alert
          color="red"
          mb="md"
          icon={<IconAlertTriangle />}
          title={item === undefined ? t('This node failed') : t('This node failed at item {item}', { item })}
        >
          <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{run.error.message}</Text>
        </Alert>
      )}
      <Panes narrow={Boolean(narrow)}>
        <Stack gap={0} miw={0} className={classes.pane}>
          <Title order={3} mb="xs">
            {t('Input')}
          </Title>
          <Inputs
            execution={execution}
            run={run}
            inputs={inputs}
            known={Boolean(wires?.length)}
            marked={item}
            {...searching}
          />
        </Stack>
        <Stack gap={0} miw={0} className={classes.pane}>
          <Title order={3} mb="xs">
            {t('Output')}
          </Title>
          <Outputs key={run.index} execution={execution} run={run} {...searching} />
        </Stack>
      </Panes>
    </Paper>
  );
}

function Panes({ narrow, children }: { narrow: boolean; children: [ReactNode, ReactNode] }) {
  if (narrow) return <Stack>{children}</Stack>;
  return (
    <SplitPane name="execution-items" label={t('Width of the input')}>
      {children}
    </SplitPane>
  );
}

interface Viewing {
  execution: string;
  wanted: string;
  onWanted: (text: string) => void;
}

function Inputs({
  run,
  inputs,
  known,
  marked,
  ...viewing
}: { run: Run; inputs: readonly Input[]; known: boolean; marked: number | undefined } & Viewing) {
  if (run.index === 0) return <Text c="dimmed">{t('The execution began here.')}</Text>;
  if (inputs.length === 0) {
    return (
      <Text c="dimmed">
        {known
          ? t('No stored data led to this node.')
          : t('The workflow is no longer stored, so its path to this node is unknown.')}
      </Text>
    );
  }
  return inputs.map((given) => (
    <OneInput
      key={`${run.index}.${given.from.index}.${given.input}`}
      given={given}
      several={inputs.length > 1}
      marked={marked}
      {...viewing}
    />
  ));
}

function OneInput({
  given: { from, output, input, items },
  several,
  execution,
  ...viewing
}: { given: Input; several: boolean; marked: number | undefined } & Viewing) {
  const place = { execution, run: from.index, output };
  const read = useMoreItems(place, items, from.counts[output]);
  return (
    <Items
      label={several ? t('input {input}', { input }) : t('the input')}
      keep="execution-input"
      place={place}
      about={phrases(
        t('from {node}', { node: from.node }),
        output > 0 && t('output {output}', { output }),
        several && t('into input {input}', { input }),
      )}
      given={read}
      {...viewing}
    />
  );
}

const NONE: readonly Item[] = [];

function Outputs({ run, execution, ...viewing }: { run: Run } & Viewing) {
  const first = run.counts.findIndex((some) => some > 0);
  const [output, setOutput] = useState(Math.max(0, first));
  const place = { execution, run: run.index, output };
  const given = useMoreItems(place, run.outputs?.[output] ?? NONE, run.counts[output]);
  if (!run.outputs) return <Text c="dimmed">{t('The items are read when the node’s results are stored.')}</Text>;
  if (run.counts.every((some) => some === 0)) {
    return (
      <Text c="dimmed">
        {run.status === 'failed' ? t('It failed before it put anything out.') : t('No items came out.')}
      </Text>
    );
  }
  return (
    <>
      {run.counts.length > 1 && (
        <SegmentedControl
          size="xs"
          mb="sm"
          aria-label={t('Output shown')}
          value={String(output)}
          onChange={(next) => setOutput(Number(next))}
          data={run.counts.map((some, index) => ({
            value: String(index),
            label: t('Output {output} ({items})', { output: index, items: some }),
          }))}
        />
      )}
      <Items label={t('the output')} keep="execution-output" given={given} place={place} {...viewing} />
    </>
  );
}
