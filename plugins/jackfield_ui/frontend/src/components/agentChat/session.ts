import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { api, data } from '../../api/client';
import type { ChatMessage } from '../../api/types';
import { useEvents, useInvalidate } from '../../api/useEvents';
import { notifyError } from '../notify';
import { type Delta, extended, merged, NOTHING, type Told } from './merge';

export const CHAT = '/api/agent-sessions/{session_id}';

/** Of one session. */
export const ofChat = (id: string) => ({ params: { path: { session_id: id } } });

export function useChat(id: string) {
  useInvalidate('agent_sessions', [['chats', id]], ['state_changed', 'session_ended'], 50);
  return useQuery({
    queryKey: ['chats', id],
    queryFn: ({ signal }) => data(api.GET(CHAT, { ...ofChat(id), signal })),
  });
}

/** One thing that is done to a session. */
export function useChatAction<Input = void>(act: (input: Input) => Promise<unknown>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => act(input),
    onSettled: () => client.invalidateQueries({ queryKey: ['chats'] }),
    onError: (error) => notifyError(error),
  });
}

/** The messages of a session as they come: read once, and again after a gap; the rest is told by events. */
export function useMessages(id: string): { told: Told; error: unknown; isRead: boolean } {
  const [told, setTold] = useState<Told>(NOTHING);
  const [error, setError] = useState<unknown>();
  const [isRead, setRead] = useState(false);
  const known = useRef(0);
  const read = useCallback(async () => {
    try {
      const found = await data(
        api.GET('/api/agent-sessions/{session_id}/messages', {
          params: { path: { session_id: id }, query: { since: known.current } },
        }),
      );
      setTold((before) => merged(before, found.messages ?? [], found.revision));
      known.current = Math.max(known.current, found.revision);
      setRead(true);
      setError(undefined);
    } catch (problem) {
      setError(problem);
    }
  }, [id]);
  useEffect(() => void read(), [read]);
  useEvents(
    'agent_sessions',
    ({ type, data }) => {
      if (data.session_id !== id) return;
      if (type === 'message') setTold((before) => merged(before, [data.message as ChatMessage]));
      if (type === 'message_delta') setTold((before) => extended(before, data as unknown as Delta));
    },
    () => void read(),
  );
  return { told, error, isRead };
}

/** Says something to the agent as it is. */
export const say = (id: string, text: string) =>
  api.POST('/api/agent-sessions/{session_id}/messages', { ...ofChat(id), body: { text } });
