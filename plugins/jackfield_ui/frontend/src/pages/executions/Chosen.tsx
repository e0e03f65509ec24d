import { Button, Group, Menu, Text } from '@mantine/core';
import { IconArrowsDiff, IconChevronDown, IconPlayerStop, IconRefresh, IconTrash } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import type { ExecutionRow } from '../../api/types';
import { confirm } from '../../components/confirm';
import { type BulkReport, eachOf } from '../../components/eachOf';
import { moment } from '../../components/format';
import { NotDone } from '../../components/NotDone';
import { notifyDone } from '../../components/notify';
import { t } from '../../language/messages';
import { cancel, comparePath, executionPath, nameOf, remove, retry } from './queries';

interface Action {
  act: (id: string) => Promise<unknown>;
  /** '3 executions retried.' */
  done: string;
  /** 'retried' */
  word: string;
}

const ACTIONS = {
  start: { act: (id) => retry(id, 'start'), done: t('started again'), word: 'retried' },
  failed: { act: (id) => retry(id, 'failed'), done: t('started again'), word: 'retried' },
  stop: { act: cancel, done: 'stopped', word: 'stopped' },
  remove: { act: remove, done: 'deleted', word: 'deleted' },
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
  const [failures, setFailures] = useState<{ word: string; done: number; failed: BulkReport<string>['failed'] }>();
  const ids = [...selected];
  const { mutate, isPending } = useMutation({
    mutationFn: (action: Action) => eachOf(ids, action.act),
    onSuccess: ({ done, failed }, { done: told, word }) => {
      if (failed.length) setFailures({ word, done, failed });
      else notifyDone(`${executions(done)} ${told}.`);
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
              {t('From the start, with the present workflow')}
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
              `Stop ${executions(ids.length)}?`,
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
              `Delete ${executions(ids.length)}?`,
              t('Their items and results are gone for good. Executions that still run have to be stopped first.'),
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
          title={t('{executions} not {word}', { executions: executions(failures.failed.length), word: failures.word })}
          done={failures.done ? `${executions(failures.done)} ${failures.word}.` : t('None of them.')}
          failed={failures.failed.map(({ key, reason }) => ({ key, reason, name: named(key), to: executionPath(key) }))}
          onClose={() => setFailures(undefined)}
        />
      )}
    </>
  );
}
