import { useCallback, useEffect, useRef, useState } from 'react';
import { send } from '../../../api/client';
import { ApiError, messageOf } from '../../../api/errors';
import { uuid } from '../../../api/uuid';
import { t } from '../../../language/messages';
import { addressOf } from './address';
import { ChunkReader, type Said, textOf } from './answer';

export interface Spoken {
  id: string;
  by: 'user' | 'workflow';
  text: string;
  failed?: boolean;
  /** The execution that tells more of a failure. */
  execution?: string;
}

export interface Conversation {
  session: string;
  messages: readonly Spoken[];
  busy: boolean;
  /** Gives whether an execution may have begun. login: name and password of a chat that asks for them. */
  say: (text: string, login?: Login) => Promise<boolean>;
  stop: () => void;
  /** A new session, of which the workflow's memory knows nothing. */
  restart: () => void;
}

export interface Login {
  user: string;
  password: string;
}

/** Not `Authorization`, which names the caller of the API itself; in UTF-8, as the daemon reads it. */
function loginHeaders({ user, password }: Login): Record<string, string> {
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  return { 'X-Chat-Authorization': `Basic ${btoa(String.fromCharCode(...bytes))}` };
}

const keyOf = (workflow: string, node: string) => `jackfield.chat.${workflow}.${node}`;

const NO_ADDRESS = t(
  'The Chat Trigger has no address: give its document a webhookId of only letters, digits and - _ . ~.',
);
const NOTHING = t(
  'The workflow has ended without an answer. Stream the answer of a node, or let the last node respond.',
);

/**
 * Messages to the Chat Trigger at `path`; undefined: it has no address. streams: its answers come in chunks. The session
 * lasts as long as the tab.
 */
export function useConversation(workflow: string, path: string | undefined, streams: boolean): Conversation {
  const key = keyOf(workflow, path ?? '');
  const [session, setSession] = useState(() => sessionStorage.getItem(key) ?? begun(key));
  const [messages, setMessages] = useState<readonly Spoken[]>([]);
  const [busy, setBusy] = useState(false);
  const leaving = useRef<AbortController>(undefined);

  const add = (spoken: Spoken) => setMessages((before) => [...before, spoken]);
  const hear = (turn: string, { from, text, failed }: Said, execution?: string) => {
    const id = `${turn} ${from}`;
    setMessages((before) =>
      before.some((one) => one.id === id)
        ? before.map((one) => (one.id === id ? { ...one, text: one.text + text } : one))
        : [...before, { id, by: 'workflow', text, failed, execution }],
    );
  };

  const say = async (text: string, login?: Login): Promise<boolean> => {
    const turn = uuid();
    add({ id: turn, by: 'user', text });
    if (path === undefined) {
      hear(turn, { from: 'error', text: NO_ADDRESS, failed: true });
      return false;
    }
    setBusy(true);
    leaving.current = new AbortController();
    try {
      const body = JSON.stringify({ action: 'sendMessage', sessionId: session, chatInput: text });
      const headers = { 'Content-Type': 'application/json', ...(login && loginHeaders(login)) };
      const { signal } = leaving.current;
      const request = new Request(addressOf(workflow, path), { method: 'POST', headers, body, signal });
      let silent = true;
      await (streams ? inChunks : atOnce)(await send(request), (said) => {
        silent = false;
        hear(turn, said);
      });
      if (silent) hear(turn, { from: 'error', text: NOTHING, failed: true });
      return true;
    } catch (error) {
      if (leaving.current.signal.aborted) return true;
      const execution = error instanceof ApiError ? error.executionId : undefined;
      hear(turn, { from: 'error', text: messageOf(error), failed: true }, execution);
      return execution !== undefined || !isRefused(error);
    } finally {
      setBusy(false);
    }
  };

  const stop = useCallback(() => leaving.current?.abort(), []);
  useEffect(() => stop, [stop]);
  const restart = () => {
    stop();
    setMessages([]);
    setSession(begun(key));
  };
  return { session, messages, busy, say, stop, restart };
}

/** Refused before anything ran. */
function isRefused(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500;
}

function begun(key: string): string {
  const id = uuid();
  sessionStorage.setItem(key, id);
  return id;
}

type Tell = (said: Said) => void;

async function atOnce(answer: Response, tell: Tell): Promise<void> {
  tell({ from: 'all', text: textOf(await answer.text()), failed: false });
}

async function inChunks(answer: Response, tell: Tell): Promise<void> {
  if (!answer.body) return;
  const reader = answer.body.getReader();
  const chunks = new ChunkReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) chunks.feed(read.value).forEach(tell);
  chunks.close().forEach(tell);
}
