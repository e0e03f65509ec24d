/** Where a Chat Trigger is spoken to. */
import type { DocNode } from '../model/document';

/** What the daemon serves: nothing else may come into an address, to which the browser would send its session. */
const SERVED = /^(?!\.+$)[A-Za-z0-9_.~-]{1,200}$/;

/** Its own part of the address, by the daemon's rule; undefined: it has none that is served. */
export function pathOf({ webhookId, id }: DocNode): string | undefined {
  const path = (typeof webhookId === 'string' && webhookId) || id;
  return path && SERVED.test(path) ? path : undefined;
}

/** Workflows may have the same path, such as a document that was imported twice: the one that is meant is named. */
export function addressOf(workflow: string, path: string): URL {
  const url = new URL(`/chat-test/${path}`, location.origin);
  url.searchParams.set('workflow', workflow);
  return url;
}
