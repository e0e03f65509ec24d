import { useQuery } from '@tanstack/react-query';
import { api, data, request } from '../../api/client';
import type { PageOf } from '../../api/paging';
import type { ExecutionRow, TerminalSession } from '../../api/types';
import { useInvalidate } from '../../api/useEvents';

/** Executions by status. */
export type Stats = Record<'total' | 'queued' | 'running' | 'waiting' | 'success' | 'failed' | 'cancelled', number>;

/** For what no event tells: often enough to be true, seldom enough to cost nothing. */
const SLOWLY = 30_000;

export function useStats() {
  return useQuery({
    queryKey: ['executions', 'stats'],
    queryFn: ({ signal }) => request<Stats>('GET', '/api/v1/executions/stats', { signal }),
  });
}

export function useExecutions(query: { status?: string }, limit: number) {
  return useQuery({
    queryKey: ['executions', 'latest', query, limit],
    queryFn: ({ signal }) =>
      request<PageOf<ExecutionRow>>('GET', '/api/v1/executions', { query: { ...query, limit }, signal }),
  });
}

export function useWorkflowNames() {
  return useQuery({
    queryKey: ['workflows', 'names'],
    queryFn: ({ signal }) =>
      request<PageOf<{ id: string; name: string }>>('GET', '/api/v1/workflows', { query: { limit: 100 }, signal }),
  });
}

export function useSessions() {
  return useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => request<TerminalSession[]>('GET', '/api/terminal/sessions', { signal }),
  });
}

export function useProxies() {
  return useQuery({
    queryKey: ['proxies'],
    queryFn: ({ signal }) => data(api.GET('/api/proxy/status', { signal })),
    refetchInterval: SLOWLY,
  });
}

export function useProfiles() {
  return useQuery({
    queryKey: ['profiles'],
    queryFn: ({ signal }) => data(api.GET('/api/profiles', { signal })),
  });
}

export function useToday() {
  return useQuery({
    queryKey: ['usage', 'today'],
    queryFn: ({ signal }) => data(api.GET('/api/usage', { params: { query: { period: 'today' } }, signal })),
  });
}

/** What happens elsewhere shows here. */
export function useDashboardEvents(): void {
  useInvalidate('workflows', [['executions'], ['workflows']]);
  useInvalidate('terminal', [['sessions']]);
  useInvalidate('proxy', [['proxies']]);
  useInvalidate('usage', [['usage']], undefined, 2_000);
  useInvalidate('profiles', [['profiles']]);
}
