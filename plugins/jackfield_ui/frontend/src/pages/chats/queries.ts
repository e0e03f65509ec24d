import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, data } from '../../api/client';
import type { Schemas } from '../../api/types';
import { useInvalidate } from '../../api/useEvents';

const CHATS = '/api/agent-sessions';

export function useChats() {
  useInvalidate('agent_sessions', [['chats']], ['session_created', 'state_changed', 'session_ended']);
  return useQuery({
    queryKey: ['chats'],
    queryFn: ({ signal }) => data(api.GET(CHATS, { signal })),
  });
}

export function useStartChat() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas['AgentSessionIn']) => data(api.POST(CHATS, { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: ['chats'] }),
  });
}
