import { useCallback, useRef, useState } from 'react';
import { send } from '../../../api/client';
import { messageOf } from '../../../api/errors';
import { ChunkReader, type Said, textOf } from './answer';

export interface Spoken {
  id: string;
  by: 'user' | 'workflow';
  text: string;
  failed?: boolean;
}

export interface Conversation {
  session: string;
  messages: readonly Spoken[];
  busy: boolean;
  say: (text: string) => Promise<void>;
  stop: () => void;
  /** A new session, of which the workflow's memory knows nothing. */
  restart: () => void;
}

const keyOf = (workflow: string, node: string) => `jackfield.chat.${workflow}.${node}`;

/** Messages to the Chat Trigger at `path`. streams: its answers come in chunks. The session lasts as long as the tab. */
export function useConversation(workflow: string, path: string, streams: boolean): Conversation {
  const key = keyOf(workflow, path);
  const [session, setSession] = useState(() => sessionStorage.getItem(key) ?? begun(key));
  const [messages, setMessages] = useState<readonly Spoken[]>([]);
  const [busy, setBusy] = useState(false);
  const leaving = useRef<AbortController>(undefined);

  const add = (spoken: Spoken) => setMessages((before) => [...before, spoken]);
  const hear = (turn: string, { from, text, failed }: Said) => {
    const id = `${turn} ${from}`;
    setMessages((before) =>
      before.some((one) => one.id === id)
        ? before.map((one) => (one.id === id ? { ...one, text: one.text + text } : one))
        : [...before, { id, by: 'workflow', text, failed }],
    );
  };

  const say = async (text: string) => {
    const turn = crypto.randomUUID();
    add({ id: turn, by: 'user', text });
    setBusy(true);
    leaving.current = new AbortController();
    try {
      const body = JSON.stringify({ action: 'sendMessage', sessionId: session, chatInput: text });
      const headers = { 'Content-Type': 'application/json' };
      const { signal } = leaving.current;
      const url = new URL(`/chat-test/${path}`, location.origin);
      const answer = await send(new Request(url, { method: 'POST', headers, body, signal }));
      await (streams ? inChunks : atOnce)(answer, (said) => hear(turn, said));
    } catch (error) {
      if (!leaving.current.signal.aborted) hear(turn, { from: 'error', text: messageOf(error), failed: true });
    } finally {
      setBusy(false);
    }
  };

  const stop = useCallback(() => leaving.current?.abort(), []);
  const restart = () => {
    stop();
    setMessages([]);
    setSession(begun(key));
  };
  return { session, messages, busy, say, stop, restart };
}

function begun(key: string): string {
  const id = crypto.randomUUID();
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
