import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Copyable } from '../../components/Copyable';
import { Duration, RelativeTime } from '../../components/values';
import { t } from '../../language/messages';
import classes from './executions.module.css';
import { type Execution, executionPath, isOpen, MODES } from './queries';

/** The execution in a line or two. */
export function Facts({ execution }: { execution: Execution }) {
  const { id, mode, startedAt, finishedAt, workflowVersion, retryOf } = execution;
  const resumeAt = typeof execution.resumeAt === 'string' ? execution.resumeAt : undefined;
  const facts: [string, ReactNode][] = [
    [t('Started by'), MODES[mode] ?? mode],
    [t('Started'), <RelativeTime key="started" time={startedAt} />],
    [
      t('Took'),
      finishedAt || isOpen(execution) ? <Duration key="took" from={startedAt} to={finishedAt ?? null} /> : '–',
    ],
    [t('Version'), workflowVersion],
  ];
  if (resumeAt) facts.push([t('Keeps running'), <RelativeTime key="resume" time={resumeAt} />]);
  if (retryOf) {
    facts.push([
      t('Retry of'),
      <Anchor key="retry" component={Link} to={executionPath(retryOf)} inherit>
        {t('another execution')}
      </Anchor>,
    ]);
  }
  facts.push(['ID', <Copyable key="id" text={id} label={t('the execution’s ID')} />]);
  return (
    <dl className={classes.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
