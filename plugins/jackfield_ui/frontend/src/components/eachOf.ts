import { messageOf } from '../api/errors';

/** What was done to many things, one by one. */
export interface BulkReport<Key> {
  done: number;
  failed: readonly { key: Key; reason: string }[];
}

/** Requests of one action on many things that are under way at once. */
const AT_ONCE = 4;

/** Does it to each, a few at a time; one that fails does not keep the others from it. */
export async function eachOf<Key>(
  keys: readonly Key[],
  act: (key: Key) => Promise<unknown>,
  atOnce = AT_ONCE,
): Promise<BulkReport<Key>> {
  const failed: { key: Key; reason: string; place: number }[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < keys.length) {
      const place = next;
      next += 1;
      const key = keys[place] as Key;
      try {
        await act(key);
      } catch (error) {
        failed.push({ key, reason: messageOf(error), place });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, keys.length) }, work));
  failed.sort((one, other) => one.place - other.place);
  return { done: keys.length - failed.length, failed: failed.map(({ key, reason }) => ({ key, reason })) };
}
