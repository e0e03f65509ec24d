import { useEffect, useId } from 'react';
import { useBlocker } from 'react-router';
import { locale, t } from '../language/messages';
import { confirm } from './confirm';

/** What is not saved on the page, in words, by who says so. */
const unsaved = new Map<string, string>();

/** While `dirty`, leaving the page is asked about; what: 'the rules'. The page itself calls `useGuard` once. */
export function useUnsaved(dirty: boolean, what: string): void {
  const id = useId();
  useEffect(() => {
    if (!dirty) return;
    unsaved.set(id, what);
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => {
      unsaved.delete(id);
      window.removeEventListener('beforeunload', ask);
    };
  }, [dirty, id, what]);
}

/** Asks before what is not saved is left behind. Once in a page: the router knows one such question at a time. */
export function useGuard(): void {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => unsaved.size > 0 && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    if (blocker.state !== 'blocked') return;
    const body = t('Your changes to {things} are lost.', {
      things: new Intl.ListFormat(locale()).format(unsaved.values()),
    });
    void confirm({ title: t('Leave without saving?'), body, action: t('Leave') }).then((leave) =>
      leave ? blocker.proceed() : blocker.reset(),
    );
  }, [blocker]);
}
