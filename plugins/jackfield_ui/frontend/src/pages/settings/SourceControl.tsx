import { Button, Code, Group, ScrollArea, SegmentedControl, Stack, Text, Textarea } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, body } from '../../api/client';
import type { Schemas } from '../../api/types';
import type { Column } from '../../components/DataTable';
import { Failure } from '../../components/Failure';
import { Modal } from '../../components/Modal';
import { notifyDone, notifyError } from '../../components/notify';
import { IconGitBranch } from '../../icons/drawn';
import { sentences, t } from '../../language/messages';
import { Buttons } from './FormParts';
import { ListSection } from './ListSection';

type Change = Schemas['GitChangeShown'];
type Choices = Record<string, 'ours' | 'theirs'>;

const KEY = ['git'];
const SIDES = { here: t('Changed here'), there: t('Changed in the repository'), both: t('Changed on both sides') };

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
      title: t('Name'),
      primary: true,
      sort: ({ title, path }) => title ?? path,
      render: ({ title, path }) => title ?? path,
    },
    { key: 'path', title: t('File'), render: ({ path }) => <span className="jf-mono">{path}</span> },
    {
      key: 'side',
      title: t('State'),
      render: ({ side, gone }) => (gone ? t('{sides}: removed', { sides: SIDES[side] }) : SIDES[side]),
    },
    {
      key: 'choice',
      title: t('For a pull'),
      render: ({ path, side }) =>
        side === 'both' && (
          <SegmentedControl
            size="xs"
            aria-label={t('For a pull of {path}', { path })}
            data={[
              { value: '', label: t('Choose') },
              { value: 'ours', label: t('Keep this') },
              { value: 'theirs', label: t('Take that') },
            ]}
            value={choices[path] ?? ''}
            onChange={(next) => setChoices(chosen(choices, path, next))}
          />
        ),
    },
  ];
  return (
    <ListSection
      title={t('Source control')}
      about={
        status.data
          ? sentences(
              t('The branch {branch} of the repository.', { branch: status.data.branch }),
              status.data.readOnly && t('Only a pull changes workflows of this environment.'),
              status.data.protected &&
                t('The branch is protected: push from a daemon with another branch, and open a pull request.'),
            )
          : t('Workflows in a git repository, a branch for each environment.')
      }
      icon={IconGitBranch}
      none={t('Nothing differs')}
      hint={t('The daemon and its branch are the same.')}
      columns={columns}
      rows={changes}
      rowKey={({ path }) => path}
      error={status.error}
      onRetry={() => void status.refetch()}
      rowActions={({ path, title }) => (
        <Button
          variant="subtle"
          size="compact-sm"
          aria-label={t('Compare {title}', { title: title ?? path })}
          onClick={() => setShown(path)}
        >
          {t('Compare')}
        </Button>
      )}
      filter={
        changes && changes.length > 0 ? (
          <Group mb="md" gap="sm">
            <Button variant="default" loading={pull.isPending} disabled={!may('there')} onClick={() => pull.mutate()}>
              {t('Pull')}
            </Button>
            <Button
              disabled={!may('here') || status.data?.readOnly === true || status.data?.protected === true}
              onClick={() => setPushing(true)}
            >
              {t('Push')}
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
      if (failed)
        notifyError(new Error(failed.message ?? ''), t('{path} cannot be brought here', { path: failed.path }));
      else notifyDone(t('The pull is complete.'));
      void client.invalidateQueries();
    },
    onError: (error) => notifyError(error, t('The pull has changed nothing')),
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
    <Modal opened onClose={onClose} title={t('Push')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          push.mutate();
        }}
      >
        <Stack>
          {push.error && <Failure error={push.error} />}
          <Textarea
            label={t('Message')}
            required
            maxLength={2000}
            value={message}
            onChange={(event) => setMessage(event.currentTarget.value)}
            data-autofocus
          />
          <Buttons action={t('Push')} busy={push.isPending} disabled={!message.trim()} onClose={onClose} />
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
            {t('From the repository to the daemon.')}
          </Text>
          <ScrollArea.Autosize mah="60vh">
            <Code block>{diff.data?.diff}</Code>
          </ScrollArea.Autosize>
        </>
      )}
    </Modal>
  );
}
