import { Button, Code, Group, ScrollArea, SegmentedControl, Stack, Text, Textarea } from '@mantine/core';
import { IconGitBranch } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, body } from '../../api/client';
import type { Schemas } from '../../api/types';
import type { Column } from '../../components/DataTable';
import { Failure } from '../../components/Failure';
import { Modal } from '../../components/Modal';
import { notifyDone, notifyError } from '../../components/notify';
import { Buttons } from './FormParts';
import { ListSection } from './ListSection';

type Change = Schemas['GitChangeShown'];
type Choices = Record<string, 'ours' | 'theirs'>;

const KEY = ['git'];
const SIDES = { here: 'Changed here', there: 'Changed in the repository', both: 'Changed on both sides' };

/** What differs between the daemon and its branch; push and pull. */
export default function SourceControl() {
  const status = useQuery({ queryKey: KEY, queryFn: ({ signal }) => body(api.GET('/api/v1/git', { signal })) });
  const [shown, setShown] = useState<string>();
  const [pushing, setPushing] = useState(false);
  const [choices, setChoices] = useState<Choices>({});
  const pull = usePull(choices);
  const changes = status.data?.changes;
  const may = (side: Change['side']) => changes?.some((change) => change.side === side || change.side === 'both');
  const columns: Column<Change>[] = [
    {
      key: 'title',
      title: 'Name',
      primary: true,
      sort: ({ title, path }) => title ?? path,
      render: ({ title, path }) => title ?? path,
    },
    { key: 'path', title: 'File', render: ({ path }) => <span className="jf-mono">{path}</span> },
    { key: 'side', title: 'State', render: ({ side, gone }) => (gone ? `${SIDES[side]}: removed` : SIDES[side]) },
    {
      key: 'choice',
      title: 'For a pull',
      render: ({ path, side }) =>
        side === 'both' && (
          <SegmentedControl
            size="xs"
            aria-label={`For a pull of ${path}`}
            data={[
              { value: '', label: 'Choose' },
              { value: 'ours', label: 'Keep this' },
              { value: 'theirs', label: 'Take that' },
            ]}
            value={choices[path] ?? ''}
            onChange={(next) => setChoices(chosen(choices, path, next))}
          />
        ),
    },
  ];
  return (
    <ListSection
      title="Source control"
      about={
        status.data
          ? `The branch ${status.data.branch} of the repository${status.data.readOnly ? '. Workflows of this environment change by a pull alone.' : '.'}`
          : 'Workflows in a git repository, a branch for each environment.'
      }
      icon={IconGitBranch}
      none="Nothing differs"
      hint="The daemon and its branch have the same."
      columns={columns}
      rows={changes}
      rowKey={({ path }) => path}
      error={status.error}
      onRetry={() => void status.refetch()}
      rowActions={({ path, title }) => (
        <Button
          variant="subtle"
          size="compact-sm"
          aria-label={`Compare ${title ?? path}`}
          onClick={() => setShown(path)}
        >
          Compare
        </Button>
      )}
      filter={
        changes && changes.length > 0 ? (
          <Group mb="md" gap="sm">
            <Button variant="default" loading={pull.isPending} disabled={!may('there')} onClick={() => pull.mutate()}>
              Pull
            </Button>
            <Button disabled={!may('here') || status.data?.readOnly === true} onClick={() => setPushing(true)}>
              Push
            </Button>
          </Group>
        ) : undefined
      }
    >
      {shown && <Comparison path={shown} onClose={() => setShown(undefined)} />}
      {pushing && <Push onClose={() => setPushing(false)} />}
    </ListSection>
  );
}

function chosen(choices: Choices, path: string, next: string): Choices {
  const { [path]: _, ...others } = choices;
  return next === 'ours' || next === 'theirs' ? { ...others, [path]: next } : others;
}

function usePull(choices: Choices) {
  const client = useQueryClient();
  const of = (side: string) => Object.keys(choices).filter((path) => choices[path] === side);
  return useMutation({
    mutationFn: () =>
      body(api.POST('/api/v1/git/pull', { body: { ours: of('ours'), theirs: of('theirs'), others: 'refuse' } })),
    onSuccess: ({ files }) => {
      const failed = files.find(({ message }) => message);
      if (failed) notifyError(new Error(failed.message ?? ''), `${failed.path} cannot be brought here`);
      else notifyDone('The pull is complete.');
      void client.invalidateQueries();
    },
    onError: (error) => notifyError(error, 'The pull has changed nothing'),
  });
}

function Push({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const [message, setMessage] = useState('');
  const push = useMutation({
    mutationFn: () => body(api.POST('/api/v1/git/push', { body: { message, paths: [], force: false } })),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: KEY });
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title="Push">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          push.mutate();
        }}
      >
        <Stack>
          {push.error && <Failure error={push.error} />}
          <Textarea
            label="Message"
            required
            maxLength={2000}
            value={message}
            onChange={(event) => setMessage(event.currentTarget.value)}
            data-autofocus
          />
          <Buttons action="Push" busy={push.isPending} disabled={!message.trim()} onClose={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}

function Comparison({ path, onClose }: { path: string; onClose: () => void }) {
  const diff = useQuery({
    queryKey: [...KEY, path],
    queryFn: ({ signal }) => body(api.GET('/api/v1/git/diff', { params: { query: { path } }, signal })),
  });
  return (
    <Modal opened onClose={onClose} title={path} size="xl">
      {diff.error ? (
        <Failure error={diff.error} onRetry={() => void diff.refetch()} />
      ) : (
        <>
          <Text size="sm" c="dimmed" mb="sm">
            From the repository to the daemon.
          </Text>
          <ScrollArea.Autosize mah="60vh">
            <Code block>{diff.data?.diff}</Code>
          </ScrollArea.Autosize>
        </>
      )}
    </Modal>
  );
}
