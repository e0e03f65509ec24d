import type { ChatMessage, Schemas } from '../../api/types';

/** What is known of a session's messages, in their order. */
export interface Told {
  revision: number;
  messages: readonly ChatMessage[];
}

export interface Delta {
  id: number;
  revision: number;
  type: 'user' | 'text' | 'thinking';
  text: string;
}

export const NOTHING: Told = { revision: 0, messages: [] };

/** With messages that are new or have changed; of two of one id the later one counts. */
export function merged(told: Told, found: readonly ChatMessage[], revision = 0): Told {
  const byId = new Map(told.messages.map((one) => [one.id, one]));
  for (const one of found) {
    const known = byId.get(one.id);
    if (!known || known.revision <= one.revision) byId.set(one.id, one);
  }
  const last = Math.max(told.revision, revision, ...found.map((one) => one.revision));
  return { revision: last, messages: [...byId.values()].sort((left, right) => left.id - right.id) };
}

/** With more of a text. One that is known already, since it was read meanwhile, changes nothing. */
export function extended(told: Told, { id, revision, type, text }: Delta): Told {
  const known = told.messages.find((one) => one.id === id);
  if (known && known.revision >= revision) return told;
  const before = known && 'text' in known.message ? known.message.text : '';
  const message: Schemas['AgentSaid'] = { type: 'text', text: before + text, cut: false };
  const changed: ChatMessage = {
    id,
    revision,
    time: known?.time ?? new Date().toISOString(),
    complete: false,
    message: { ...message, type } as ChatMessage['message'],
  };
  return merged(told, [changed]);
}
