import { ActionIcon, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { confirm } from '../../../components/confirm';
import { Failure } from '../../../components/Failure';
import { notifyError } from '../../../components/notify';
import { RelativeTime } from '../../../components/values';
import { IconTrash } from '../../../icons/drawn';
import { t } from '../../../language/messages';
import { useEditor } from '../model/store';
import classes from './copilot.module.css';
import { type DraftRow, discardDraft, useDrafts } from './queries';

/** Drafts that wait at the workflow: of sessions, of its error workflow, of people. */
export function Drafts({ onOpen }: { onOpen: (id: string) => void }) {
  const workflow = useEditor((state) => state.id);
  const drafts = useDrafts(workflow, true);
  const client = useQueryClient();
  const discard = useMutation({
    mutationFn: discardDraft,
    onSettled: () => client.invalidateQueries({ queryKey: ['drafts'] }),
    onError: (error) => notifyError(error, t('The draft is not discarded')),
  });
  const ask = async ({ id, title }: DraftRow) => {
    const body = t('You lose its changes for good. The workflow and the changes that you have accepted stay.');
    if (await confirm({ title: t('Discard the draft “{title}”?', { title }), body, action: t('Discard') }))
      discard.mutate(id);
  };
  const rows = drafts.data?.data ?? [];
  if (drafts.error) return <Failure error={drafts.error} onRetry={() => void drafts.refetch()} />;
  if (!rows.length) return null;
  return (
    <div>
      <Title order={3}>{t('Drafts')}</Title>
      <ul className={classes.drafts} aria-label={t('Drafts')}>
        {rows.map((row) => (
          <li key={row.id}>
            <button type="button" className={classes.draft} onClick={() => onOpen(row.id)}>
              <span className={classes.draftTitle}>{row.title}</span>
              <Text component="span" size="xs" c="dimmed">
                {originOf(row)}, <RelativeTime time={row.updatedAt} />, {changesOf(row)}
              </Text>
            </button>
            <ActionIcon
              aria-label={t('Discard the draft “{title}”', { title: row.title })}
              onClick={() => void ask(row)}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </li>
        ))}
      </ul>
    </div>
  );
}

function changesOf({ changeCount }: DraftRow): string {
  if (changeCount === 0) return t('nothing to decide on');
  return t('{changeCount, plural, one {1 change} other {# changes}}', { changeCount });
}

function originOf({ origin: { kind, profile }, author }: DraftRow): string {
  const agent = profile ?? author ?? t('unknown');
  return kind === 'execution' ? t('After a failed execution, by {agent}', { agent }) : t('By {agent}', { agent });
}
