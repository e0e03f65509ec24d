/** Where a Chat Trigger is spoken to. */
import { segment } from '../../../api/client';
import type { DocNode } from '../model/document';

/** What the daemon serves: nothing else may come into an address, to which the browser would send its session. */
const SERVED = /^(?!\.+$)[A-Za-z0-9_.~-]{1,200}$/;

/** Its own part of the address, by the daemon's rule; undefined: it has none that is served. */
export function pathOf({ webhookId, id }: DocNode): string | undefined {
  const path = (typeof webhookId === 'string' && webhookId) || id;
  return path && SERVED.test(path) ? path : undefined;
}

/** Where the daemon takes messages of known callers for this workflow, wherever it listens. */
export function addressOf(workflow: string, path: string): URL {
  return new URL(`/api/v1/workflows/${segment(workflow)}/chat/${path}`, location.origin);
}
