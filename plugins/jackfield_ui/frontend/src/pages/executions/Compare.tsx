import { Alert, Anchor, Group, Skeleton, Switch, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { Link, useParams } from 'react-router';
import { areaPath } from '../../app/areas';
import { EmptyState } from '../../components/EmptyState';
import { Failure } from '../../components/Failure';
import { count, duration, moment } from '../../components/format';
import { Page } from '../../components/Page';
import { StatusBadge } from '../../components/StatusBadge';
import { Duration } from '../../components/values';
import { compared, type Difference, type Row, type Side } from './compare';
import classes from './compare.module.css';
import { runsOf } from './model';
import { NodeDiff } from './NodeDiff';
import { type Execution, executionPath, nameOf, useExecution, useWorkflowNames } from './queries';

const CRUMBS = [{ label: 'Executions', to: areaPath('executions') }];
const WORDS: Record<Difference, string> = { state: 'State', runs: 'Runs', items: 'Item counts', data: 'Data' };

/** Two executions, node by node. */
export default function Compare() {
  const { left: leftId = '', right: rightId = '' } = useParams();
  const left = useExecution(leftId);
  const right = useExecution(rightId);
  const failed = [left, right].find(({ error, data }) => error && !data);
  return (
    <Page
      title="Compare executions"
      crumbs={CRUMBS}
      subtitle="Each node in the one and in the other: its state, its time, its items."
    >
      {failed ? (
        <Failure error={failed.error} onRetry={() => void failed.refetch()} />
      ) : left.data && right.data ? (
        <Both left={left.data} right={right.data} />
      ) : (
        <Skeleton height={320} aria-busy="true" />
      )}
    </Page>
  );
}

function Both({ left, right }: { left: Execution; right: Execution }) {
  const [only, setOnly] = useState(false);
  const [opened, setOpened] = useState<string>();
  const rows = useMemo(() => compared(runsOf(left.nodes), runsOf(right.nodes)), [left, right]);
  const different = rows.filter(({ differs }) => differs.length > 0);
  const shown = only ? different : rows;
  return (
    <>
      <div className={classes.heads}>
        <Head label="First" execution={left} />
        <Head label="Second" execution={right} />
      </div>
      {left.workflowId !== right.workflowId && (
        <Alert color="yellow" mb="sm">
          They are of different workflows; nodes of the same name are compared.
        </Alert>
      )}
      <Group justify="space-between" mb="sm">
        <Text size="sm" c="dimmed" role="status">
          {different.length
            ? `${count(different.length)} of ${count(rows.length)} nodes differ.`
            : 'No node differs, but for the time that it took.'}
        </Text>
        <Switch
          label="Only what differs"
          checked={only}
          onChange={({ currentTarget: { checked } }) => setOnly(checked)}
        />
      </Group>
      {shown.length === 0 ? (
        <EmptyState title="Nothing to show" />
      ) : (
        <ul className={classes.rows} aria-label="Nodes">
          {shown.map((row) => (
            <li key={row.node}>
              <button
                type="button"
                className={classes.row}
                aria-expanded={opened === row.node}
                data-differs={row.differs.length > 0 || undefined}
                onClick={() => setOpened(opened === row.node ? undefined : row.node)}
              >
                <span className={classes.name}>{row.node}</span>
                <State side={row.left} />
                <State side={row.right} />
                <span className={classes.words}>{wordsOf(row)}</span>
              </button>
              {opened === row.node && <NodeDiff left={left.id} right={right.id} row={row} />}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Head({ label, execution }: { label: string; execution: Execution }) {
  const names = useWorkflowNames();
  const { id, workflowId, workflowVersion, status, startedAt, finishedAt, error } = execution;
  return (
    <section className={classes.head} aria-label={`${label} execution`}>
      <Group gap="xs">
        <Text size="sm" c="dimmed">
          {label}
        </Text>
        <StatusBadge status={status} />
      </Group>
      <Anchor component={Link} to={executionPath(id)} fw={600}>
        {nameOf(names.data, workflowId)}, {moment(new Date(startedAt))}
      </Anchor>
      <Text size="sm" c="dimmed">
        Version {workflowVersion}, took <Duration from={startedAt} to={finishedAt ?? null} />
      </Text>
      {error && (
        <Text size="sm" c="var(--jf-bad)" style={{ overflowWrap: 'anywhere' }} lineClamp={3}>
          {error.node ? `${error.node}: ` : ''}
          {error.message}
        </Text>
      )}
    </section>
  );
}

function State({ side }: { side: Side | undefined }) {
  if (!side) return <span className={classes.state}>Did not run</span>;
  const items = side.counts.reduce((sum, some) => sum + some, 0);
  return (
    <span className={classes.state}>
      <StatusBadge status={side.status} />
      <span>
        {duration(side.duration)}, {count(items)} {items === 1 ? 'item' : 'items'}
        {side.runs.length > 1 && `, ${side.runs.length} runs`}
      </span>
    </span>
  );
}

function wordsOf({ left, right, differs }: Row): string {
  if (!left || !right) return left ? 'Only in the first' : 'Only in the second';
  return differs.length ? differs.map((one) => WORDS[one]).join(', ') : 'Same';
}
