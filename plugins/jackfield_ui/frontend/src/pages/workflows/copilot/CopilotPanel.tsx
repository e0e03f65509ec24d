import { ActionIcon, Badge, Group, Skeleton, Stack, Tabs, Text, Title } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { Failure } from '../../../components/Failure';
import { IconChevronLeft, IconX } from '../../../icons/drawn';
import { t } from '../../../language/messages';
import { useLiveRun } from '../live/context';
import type { Overlay } from '../model/marks';
import { Begin } from './Begin';
import { type Asked, Changes } from './Changes';
import classes from './copilot.module.css';
import { Drafts } from './Drafts';
import { type Draft, useDraft } from './queries';
import { RunRequest } from './RunRequest';
import { Talk } from './Talk';
import type { Subject } from './tasks';
import { useReview } from './useReview';

interface Props {
  /** The draft that is open. */
  draft: string | undefined;
  onDraft: (id: string | undefined) => void;
  asked: Asked | undefined;
  onOverlay: (overlay: Overlay | undefined) => void;
  onShow: (name: string) => void;
  onClose: () => void;
}

/** An agent of yours beside the canvas: it changes a draft, and you decide what of that comes onto the canvas. */
export default function CopilotPanel({ draft, onDraft, onClose, ...more }: Props) {
  const live = useLiveRun();
  const heading = useRef<HTMLHeadingElement>(null);
  const [session, setSession] = useState<{ draft: string; id: string }>();
  const { execution } = live;
  const subject = { execution: execution?.id, isFailed: execution?.status === 'failed' };
  useEffect(() => heading.current?.focus(), []);
  const started = (made: string, id: string) => {
    setSession({ draft: made, id });
    onDraft(made);
  };
  return (
    <section className={classes.panel} aria-label={t('Copilot')}>
      <Group justify="space-between" wrap="nowrap" className={classes.head}>
        <Group gap="xs" wrap="nowrap">
          {draft !== undefined && (
            <ActionIcon onClick={() => onDraft(undefined)} aria-label={t('All drafts')}>
              <IconChevronLeft size={16} />
            </ActionIcon>
          )}
          <Title order={2} size="h3" tabIndex={-1} ref={heading} className={classes.heading}>
            {t('Copilot')}
          </Title>
        </Group>
        <ActionIcon onClick={onClose} aria-label={t('Close the copilot')}>
          <IconX size={16} />
        </ActionIcon>
      </Group>
      {draft === undefined ? (
        <Stack gap="md" className={classes.body}>
          {subject.isFailed && execution?.error && (
            <Text size="sm" c="var(--jf-bad)" className={classes.failure}>
              {execution.error.node ? t('Failed in “{node}”', { node: execution.error.node }) : t('Failed')}:{' '}
              {execution.error.message}
            </Text>
          )}
          <Begin draft={undefined} subject={subject} onStarted={started} />
          <Drafts onOpen={onDraft} />
        </Stack>
      ) : (
        <OfDraft
          key={draft}
          id={draft}
          session={session?.draft === draft ? session.id : undefined}
          subject={subject}
          onStarted={started}
          {...more}
        />
      )}
    </section>
  );
}

interface OfDraftProps extends Pick<Props, 'asked' | 'onOverlay' | 'onShow'> {
  /** Started here; the draft may know another one. */
  session: string | undefined;
  subject: Subject;
  onStarted: (draft: string, session: string) => void;
}

function OfDraft({ id, ...more }: { id: string } & OfDraftProps) {
  const draft = useDraft(id);
  if (draft.error) return <Failure error={draft.error} onRetry={() => void draft.refetch()} />;
  if (!draft.data) return <Skeleton height={120} m="md" />;
  return <Open draft={draft.data} {...more} />;
}

function Open({
  draft,
  session = draft.origin.sessionId ?? undefined,
  subject,
  asked,
  onOverlay,
  onShow,
  onStarted,
}: { draft: Draft } & OfDraftProps) {
  const review = useReview(draft, onOverlay);
  const [tab, setTab] = useState<string | null>(session && !asked ? 'talk' : 'changes');
  const [seen, setSeen] = useState(asked);
  if (seen !== asked) {
    setSeen(asked);
    if (asked) setTab('changes');
  }
  return (
    <Tabs value={tab} onChange={setTab} className={classes.tabs} keepMounted={false}>
      <Text size="sm" fw={550} px="md" pt="sm" className={classes.draftTitle}>
        {draft.title}
      </Text>
      <RunRequest draft={draft} />
      <Tabs.List>
        <Tabs.Tab value="talk">{t('Conversation')}</Tabs.Tab>
        <Tabs.Tab value="changes" rightSection={<Badge size="sm">{review.own.length}</Badge>}>
          {t('Changes')}
        </Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="talk" className={classes.tab}>
        {session === undefined ? (
          <div className={classes.body}>
            <Begin draft={draft.id} subject={subject} onStarted={onStarted} />
          </div>
        ) : (
          <Talk key={session} draft={draft} session={session} subject={subject} onStarted={onStarted} />
        )}
      </Tabs.Panel>
      <Tabs.Panel value="changes" className={classes.tab}>
        <Changes review={review} asked={asked} onShow={onShow} />
      </Tabs.Panel>
    </Tabs>
  );
}
