import { useEffect, useRef } from 'react';
import { t } from '../../language/messages';
import classes from './agentChat.module.css';
import { Message } from './Message';
import type { Told } from './merge';

/** Pixels below the window in which the end of the messages counts as being read. */
const NEAR = 400;

/** A session's messages, which are told as they come. */
export function Messages({
  session,
  told,
  isRead,
  mayAnswer,
}: {
  session: string;
  told: Told;
  isRead: boolean;
  mayAnswer: boolean;
}) {
  return (
    <ol className={classes.messages} aria-label={t('Messages')} aria-busy={!isRead} aria-live="polite">
      {told.messages.map((one) => (
        <li key={one.id} style={{ display: 'contents' }}>
          <Message session={session} shown={one} mayAnswer={mayAnswer} />
        </li>
      ))}
    </ol>
  );
}

/** An element that stays in sight as what is above it grows, unless the reader has left it. */
export function useFollowing(revision: number) {
  const foot = useRef<HTMLDivElement>(null);
  const seen = useRef(0);
  useEffect(() => {
    const top = foot.current?.getBoundingClientRect().top ?? 0;
    if (seen.current === 0 || top < window.innerHeight + NEAR) foot.current?.scrollIntoView({ block: 'end' });
    seen.current = revision;
  }, [revision]);
  return foot;
}
