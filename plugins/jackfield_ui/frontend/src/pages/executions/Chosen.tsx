import { Button, Group, Menu, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import type { ExecutionRow } from '../../api/types';
import { confirm } from '../../components/confirm';
import { type BulkReport, eachOf } from '../../components/eachOf';
import { moment } from '../../components/format';
import { NotDone } from '../../components/NotDone';
import { notifyDone } from '../../components/notify';
import { IconArrowsDiff, IconChevronDown, IconPlayerStop, IconRefresh, IconTrash } from '../../icons/drawn';
import { t } from '../../language/messages';
import { cancel, comparePath, executionPath, nameOf, remove, retry } from './queries';

interface Action {
  act: (id: string) => Promise<unknown>;
  /** Of '3 executions', when all went well, and of those with which it did when others failed. */
  all: (executions: string) => string;
  some: (executions: string) => string;
  /** Of those with which it failed. */
  none: (executions: string) => string;
}

const AGAIN = {
  all: (executions: string) => t('{executions} started again.', { executions }),
  some: (executions: string) => t('{executions} retried.', { executions }),
  none: (executions: string) => t('{executions} not retried', { executions }),
};
const stopped = (executions: string) => t('{executions} stopped.', { executions });
const deleted = (executions: string) => t('{executions} deleted.', { executions });

const ACTIONS = {
  start: { act: (id) => retry(id, 'start'), ...AGAIN },
  failed: { act: (id) => retry(id, 'failed'), ...AGAIN },
  stop: {
    act: cancel,
    all: stopped,
    some: stopped,
    none: (executions) => t('{executions} not stopped', { executions }),
  },
  remove: {
    act: remove,
    all: deleted,
    some: deleted,
    none: (executions) => t('{executions} not deleted', { executions }),
  },
} satisfies Record<string, Action>;

const executions = (many: number) => t('{many, plural, one {1 execution} other {# executions}}', { many });

/** Acts on the selected executions. Those with which it failed stay selected. */
export function Chosen({
  selected,
  rows,
  names,
  onChange,
}: {
  selected: ReadonlySet<string>;
  /** Those of this page: what the report calls them by. */
  rows: readonly ExecutionRow[];
  names: ReadonlyMap<string, string> | undefined;
  onChange: (selected: Set<string>) => void;
}) {
  const client = useQueryClient();
  const [failures, setFailures] = useState<Pick<Action, 'some' | 'none'> & BulkReport<string>>();
  const ids = [...selected];
  const { mutate, isPending } = useMutation({
    mutationFn: (action: Action) => eachOf(ids, action.act),
    onSuccess: ({ done, failed }, { all, some, none }) => {
      if (failed.length) setFailures({ some, none, done, failed });
      else notifyDone(all(executions(done)));
      onChange(new Set(failed.map(({ key }) => key)));
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['executions'] }),
  });
  const ask = async (action: Action, title: string, body: string, word: string) => {
    if (await confirm({ title, body, action: word })) mutate(action);
  };
  const named = (id: string) => {
    const row = rows.find((one) => one.id === id);
    return row ? `${nameOf(names, row.workflowId)}, ${moment(new Date(row.startedAt))}` : id;
  };
  return (
    <>
      <Group gap="sm" mb="sm">
        <Text size="sm" role="status">
          {t('{selected} selected', { selected: selected.size })}
        </Text>
        <Menu>
          <Menu.Target>
            <Button
              variant="default"
              size="compact-sm"
              loading={isPending}
              leftSection={<IconRefresh size={14} aria-hidden="true" />}
              rightSection={<IconChevronDown size={14} aria-hidden="true" />}
            >
              {t('Retry')}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => mutate(ACTIONS.start)}>
              {t('From the start, with the current workflow')}
            </Menu.Item>
            <Menu.Item onClick={() => mutate(ACTIONS.failed)}>{t('From the node that failed')}</Menu.Item>
          </Menu.Dropdown>
        </Menu>
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconPlayerStop size={14} aria-hidden="true" />}
          disabled={isPending}
          onClick={() =>
            void ask(
              ACTIONS.stop,
              t('Stop {executions}?', { executions: executions(ids.length) }),
              t('Work that their nodes have already done is not undone.'),
              t('Stop'),
            )
          }
        >
          {t('Stop')}
        </Button>
        {ids.length === 2 && (
          <Button
            component={Link}
            to={comparePath(ids[1] ?? '', ids[0] ?? '')}
            variant="default"
            size="compact-sm"
            leftSection={<IconArrowsDiff size={14} aria-hidden="true" />}
          >
            {t('Compare')}
          </Button>
        )}
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconTrash size={14} aria-hidden="true" />}
          disabled={isPending}
          onClick={() =>
            void ask(
              ACTIONS.remove,
              t('Delete {executions}?', { executions: executions(ids.length) }),
              t('You lose their items and results for good. Stop executions that still run first.'),
              t('Delete'),
            )
          }
        >
          {t('Delete')}
        </Button>
        <Button
          variant="subtle"
          color="gray"
          c="dimmed"
          size="compact-sm"
          disabled={isPending}
          onClick={() => onChange(new Set())}
        >
          {t('Select none')}
        </Button>
      </Group>
      {failures && (
        <NotDone
          title={failures.none(executions(failures.failed.length))}
          done={failures.done ? failures.some(executions(failures.done)) : t('None of them.')}
          failed={failures.failed.map(({ key, reason }) => ({ key, reason, name: named(key), to: executionPath(key) }))}
          onClose={() => setFailures(undefined)}
        />
      )}
    </>
  );
}
