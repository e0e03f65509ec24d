import { Alert, Anchor, Button, Group, Menu, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { Link, useNavigate, useParams, useSearchParams } from 'react-router';
import { segment } from '../../api/client';
import { areaPath } from '../../app/areas';
import { hasArea } from '../../app/pages';
import { useMay } from '../../app/session';
import { useShortcuts } from '../../app/shortcuts';
import { confirm } from '../../components/confirm';
import { EmptyState } from '../../components/EmptyState';
import { Failure } from '../../components/Failure';
import { notifyError } from '../../components/notify';
import { Page } from '../../components/Page';
import { StatusBadge } from '../../components/StatusBadge';
import {
  IconAlertTriangle,
  IconChevronDown,
  IconClock,
  IconPinned,
  IconPlayerStop,
  IconRoute,
  IconSparkles,
  IconTrash,
} from '../../icons/drawn';
import { t } from '../../language/messages';
import { CompareWith } from './CompareWith';
import classes from './executions.module.css';
import { Facts } from './Facts';
import { type Run, runsOf, wiresOf } from './model';
import { Overview } from './Overview';
import {
  cancel,
  type Execution,
  executionPath,
  isOpen,
  nameOf,
  remove,
  retry,
  useExecutedWorkflow,
  useExecution,
  useWorkflowNames,
} from './queries';
import { RunPanel } from './RunPanel';
import { statesOf } from './states';
import { Timeline } from './Timeline';
import { useLive } from './useLive';

const CRUMBS = [{ label: t('Executions'), to: areaPath('executions') }];

export default function Detail() {
  const { id = '' } = useParams();
  const { data: execution, error, refetch } = useExecution(id);
  const names = useWorkflowNames();
  const title = execution ? nameOf(names.data, execution.workflowId) : t('Execution');
  if (error && !execution) {
    return (
      <Page title={t('Execution')} crumbs={CRUMBS}>
        <Failure error={error} onRetry={() => void refetch()} />
      </Page>
    );
  }
  return (
    <Page
      title={title}
      crumbs={CRUMBS}
      badge={execution && <StatusBadge status={execution.status} />}
      actions={execution && <Actions execution={execution} />}
    >
      {execution ? <Body key={id} execution={execution} /> : <Loading />}
    </Page>
  );
}

function Loading() {
  return (
    <Stack aria-busy="true">
      <Skeleton height={20} width="60%" />
      <Skeleton height={180} />
      <Skeleton height={320} />
    </Stack>
  );
}

function Body({ execution }: { execution: Execution }) {
  const may = useMay('member');
  const [params, setParams] = useSearchParams();
  const live = useLive(execution.id);
  const workflow = useExecutedWorkflow(execution.id);
  const wires = useMemo(() => wiresOf(workflow.data?.connections), [workflow.data]);
  const [wanted, setWanted] = useState('');
  const panel = useRef<HTMLDivElement>(null);
  const again = useRetry(execution.id);
  const runs = useMemo(() => runsOf(execution.nodes, live.runs), [execution.nodes, live.runs]);
  const named = params.get('run');
  const selected = runs.find(({ index }) => String(index) === named) ?? first(runs);
  const select = (run: Run | undefined) => run && setParams({ run: String(run.index) }, { replace: true });
  const step = (by: number) => select(runs[runs.findIndex(({ index }) => index === selected?.index) + by]);
  useShortcuts([
    { keys: 'J', label: t('Next node run'), run: () => step(1) },
    { keys: 'K', label: t('Previous node run'), run: () => step(-1) },
  ]);
  const failedRun = execution.error?.node
    ? runs.findLast(({ node, error }) => node === execution.error?.node && error)
    : undefined;
  const ended = !isOpen(execution);
  const states = useMemo(
    () => statesOf(runs, ended ? undefined : live.running, execution.error),
    [runs, ended, live.running, execution.error],
  );

  return (
    <Stack gap="md">
      <Facts execution={execution} />
      {execution.error && !(failedRun && failedRun.index === selected?.index) && (
        <Alert
          color="red"
          icon={<IconAlertTriangle />}
          title={execution.error.node ? t('Failed in “{node}”', { node: execution.error.node }) : t('Failed')}
        >
          <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{execution.error.message}</Text>
          {failedRun && (
            <Anchor
              component="button"
              type="button"
              size="sm"
              c="inherit"
              underline="always"
              onClick={() => select(failedRun)}
            >
              {t('Show the node')}
            </Anchor>
          )}
        </Alert>
      )}
      <Overview
        document={workflow.data ?? undefined}
        states={states}
        selected={selected?.node}
        onOpen={(node) => {
          const ran = runs.filter((run) => run.node === node);
          select(ran.findLast(({ status }) => status === 'failed') ?? ran.at(-1));
          if (ran.length) panel.current?.scrollIntoView({ block: 'nearest' });
        }}
      >
        {runs.length > 0 || (live.running !== undefined && !ended) ? (
          <Timeline
            runs={runs}
            running={ended ? undefined : live.running}
            selected={selected}
            onSelect={select}
            wanted={wanted}
            onWanted={setWanted}
          />
        ) : (
          <EmptyState icon={IconClock} title={ended ? t('No node ran') : t('No node has run yet')}>
            {ended ? t('It ended before its first node.') : t('The nodes show here as they run.')}
          </EmptyState>
        )}
      </Overview>
      <div ref={panel} className={classes.panel}>
        {selected && (
          <RunPanel
            execution={execution.id}
            run={selected}
            runs={runs}
            wires={workflow.isPending ? undefined : wires}
            wanted={wanted}
            onWanted={setWanted}
            retrying={again.isPending}
            onRetry={
              may && ended && selected.index > 0 ? () => again.mutate({ from: 'node', node: selected.node }) : undefined
            }
          />
        )}
      </div>
    </Stack>
  );
}

/** The failure is what one came for; else the last node, which has the result. */
function first(runs: readonly Run[]): Run | undefined {
  return runs.findLast(({ status }) => status === 'failed') ?? runs.at(-1);
}

function useRetry(id: string) {
  const navigate = useNavigate();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ from, node }: { from: 'start' | 'failed' | 'node'; node?: string }) => retry(id, from, node),
    onSuccess: ({ executionId }) => {
      void client.invalidateQueries({ queryKey: ['executions'] });
      void navigate(executionPath(executionId));
    },
    onError: (error) => notifyError(error, t('It cannot be run again')),
  });
}

function Actions({ execution }: { execution: Execution }) {
  const may = useMay('member');
  const { id, workflowId } = execution;
  const editor = workflowId !== null && hasArea('workflows') && (
    <Button
      component={Link}
      to={`${areaPath('workflows')}/${segment(workflowId)}`}
      variant="default"
      leftSection={<IconRoute size={16} aria-hidden="true" />}
    >
      {t('Open workflow')}
    </Button>
  );
  const withData = editor && may && !isOpen(execution) && (
    <Button
      component={Link}
      to={`${areaPath('workflows')}/${segment(workflowId)}?execution=${segment(id)}`}
      variant="default"
      leftSection={<IconPinned size={16} aria-hidden="true" />}
    >
      {t('Open with its data')}
    </Button>
  );
  const mend = editor && may && execution.status === 'failed' && (
    <Button
      component={Link}
      to={`${areaPath('workflows')}/${segment(workflowId)}?mend=${segment(id)}`}
      variant="default"
      leftSection={<IconSparkles size={16} aria-hidden="true" />}
    >
      {t('Fix with an agent')}
    </Button>
  );
  return (
    <>
      {editor}
      {mend}
      {withData}
      <CompareWith execution={execution} />
      {may && (isOpen(execution) ? <Cancel id={id} /> : <Again execution={execution} />)}
    </>
  );
}

function Cancel({ id }: { id: string }) {
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: () => cancel(id),
    onSuccess: () => client.invalidateQueries({ queryKey: ['executions'] }),
    onError: (error) => notifyError(error, t('It cannot be cancelled')),
  });
  const ask = async () => {
    const body = t('Work that its nodes have already done is not undone.');
    if (await confirm({ title: t('Cancel this execution?'), body, action: t('Cancel the execution') })) mutate();
  };
  return (
    <Button
      variant="default"
      loading={isPending}
      leftSection={<IconPlayerStop size={16} aria-hidden="true" />}
      onClick={() => void ask()}
    >
      {t('Cancel execution')}
    </Button>
  );
}

function Again({ execution: { id, status } }: { execution: Execution }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const again = useRetry(id);
  const removal = useMutation({
    mutationFn: () => remove(id),
    onSuccess: () => {
      void navigate(areaPath('executions'), { replace: true });
      client.removeQueries({ queryKey: ['executions', id] });
    },
    onError: (error) => notifyError(error, t('It cannot be deleted')),
  });
  const ask = async () => {
    const body = t('You lose its items and results for good. The workflow stays.');
    if (await confirm({ title: t('Delete this execution?'), body, action: t('Delete') })) removal.mutate();
  };
  return (
    <Group gap="sm">
      <Menu>
        <Menu.Target>
          <Button loading={again.isPending} rightSection={<IconChevronDown size={16} aria-hidden="true" />}>
            {t('Retry')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => again.mutate({ from: 'start' })}>
            {t('From the start, with the current workflow')}
          </Menu.Item>
          <Menu.Item disabled={status === 'success'} onClick={() => again.mutate({ from: 'failed' })}>
            {status === 'cancelled' ? t('From where it was cancelled') : t('From the node that failed')}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item c="var(--jf-bad)" leftSection={<IconTrash size={16} />} onClick={() => void ask()}>
            {t('Delete the execution')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}
