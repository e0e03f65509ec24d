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
import { phrases, rich, t } from '../../language/messages';
import { compared, type Difference, type Row, type Side } from './compare';
import classes from './compare.module.css';
import { runsOf } from './model';
import { NodeDiff } from './NodeDiff';
import { type Execution, executionPath, nameOf, useExecution, useWorkflowNames } from './queries';

const CRUMBS = [{ label: t('Executions'), to: areaPath('executions') }];
const WORDS: Record<Difference, string> = {
  state: t('State'),
  runs: t('Runs'),
  items: t('Item counts'),
  data: t('Data'),
};

/** Two executions, node by node. */
export default function Compare() {
  const { left: leftId = '', right: rightId = '' } = useParams();
  const left = useExecution(leftId);
  const right = useExecution(rightId);
  const failed = [left, right].find(({ error, data }) => error && !data);
  return (
    <Page
      title={t('Compare executions')}
      crumbs={CRUMBS}
      subtitle={t('Each node in the one and in the other: its state, its time, its items.')}
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
        <Head label={t('First')} execution={left} />
        <Head label={t('Second')} execution={right} />
      </div>
      {left.workflowId !== right.workflowId && (
        <Alert color="yellow" mb="sm">
          {t('They are of different workflows; nodes of the same name are compared.')}
        </Alert>
      )}
      <Group justify="space-between" mb="sm">
        <Text size="sm" c="dimmed" role="status">
          {different.length
            ? t('{different} of {rows} nodes differ.', { different: count(different.length), rows: count(rows.length) })
            : t('No node differs, but for the time that it took.')}
        </Text>
        <Switch
          label={t('Only what differs')}
          checked={only}
          onChange={({ currentTarget: { checked } }) => setOnly(checked)}
        />
      </Group>
      {shown.length === 0 ? (
        <EmptyState title={t('Nothing to show')} />
      ) : (
        <ul className={classes.rows} aria-label={t('Nodes')}>
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
    <section className={classes.head} aria-label={t('{label} execution', { label })}>
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
        {rich('Version {workflowVersion}, took {duration}', {
          workflowVersion,
          duration: <Duration from={startedAt} to={finishedAt ?? null} />,
        })}
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
  if (!side) return <span className={classes.state}>{t('Did not run')}</span>;
  const items = side.counts.reduce((sum, some) => sum + some, 0);
  return (
    <span className={classes.state}>
      <StatusBadge status={side.status} />
      <span>
        {phrases(
          duration(side.duration),
          t('{items, plural, one {# item} other {# items}}', { items }),
          side.runs.length > 1 && t('{runs} runs', { runs: side.runs.length }),
        )}
      </span>
    </span>
  );
}

function wordsOf({ left, right, differs }: Row): string {
  if (!left || !right) return left ? t('Only in the first') : t('Only in the second');
  return differs.length ? differs.map((one) => WORDS[one]).join(', ') : t('Same');
}
