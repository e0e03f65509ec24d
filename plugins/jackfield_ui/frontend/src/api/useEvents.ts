import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { events, type LiveEvent, type Topic } from './socket';

/** Calls `onEvent` for each event of a topic; `onGap` after events were lost (default: every query is read again). */
export function useEvents(topic: Topic, onEvent: (event: LiveEvent) => void, onGap?: () => void): void {
  const client = useQueryClient();
  const take = useEffectEvent(onEvent);
  const gap = useEffectEvent(() => (onGap ? onGap() : void client.invalidateQueries()));
  useEffect(() => events.add({ topic, onEvent: (event) => take(event), onGap: () => gap() }), [topic]);
}

/** Reads queries again when something happens: at most once in `every` milliseconds, however many events there are. */
export function useInvalidate(topic: Topic, keys: readonly QueryKey[], types?: readonly string[], every = 500): void {
  const client = useQueryClient();
  const invalidate = useEffectEvent(() => {
    for (const queryKey of keys) void client.invalidateQueries({ queryKey });
  });
  const wanted = useEffectEvent((type: string) => !types || types.includes(type));
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const soon = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        invalidate();
      }, every);
    };
    const remove = events.add({ topic, onEvent: ({ type }) => wanted(type) && soon(), onGap: soon });
    return () => {
      clearTimeout(timer);
      remove();
    };
  }, [topic, every]);
}
