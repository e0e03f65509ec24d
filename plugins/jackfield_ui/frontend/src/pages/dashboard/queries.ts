import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { api, body, data } from '../../api/client';
import type { ExecutionRow, Schemas } from '../../api/types';
import { useInvalidate } from '../../api/useEvents';
import { useReachesAgents } from '../../app/session';

/** Executions by status. */
export type Stats = Schemas['Counts'];

/** For what no event tells: often enough to be true, seldom enough to cost nothing. */
const SLOWLY = 30_000;

const stats = queryOptions({
  queryKey: ['executions', 'stats'],
  queryFn: ({ signal }) => body(api.GET('/api/v1/executions/stats', { signal })),
});

const sessions = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => data(api.GET('/api/terminal/sessions', { signal })),
});

const proxies = queryOptions({
  queryKey: ['proxies'],
  queryFn: ({ signal }) => data(api.GET('/api/proxy/status', { signal })),
});

const today = queryOptions({
  queryKey: ['usage', 'today'],
  queryFn: ({ signal }) => data(api.GET('/api/usage', { params: { query: { period: 'today' } }, signal })),
});

/** The figures are on their way while the page is not drawn yet. */
export function askForFigures(client: QueryClient): void {
  void client.prefetchQuery(today);
  void client.prefetchQuery(stats);
  void client.prefetchQuery(sessions);
  void client.prefetchQuery(proxies);
}

export function useStats() {
  return useQuery(stats);
}

export function useExecutions(query: { status?: ExecutionRow['status'] }, limit: number) {
  return useQuery({
    queryKey: ['executions', 'latest', query, limit],
    queryFn: ({ signal }) => body(api.GET('/api/v1/executions', { params: { query: { ...query, limit } }, signal })),
  });
}

export function useWorkflowNames() {
  return useQuery({
    queryKey: ['workflows', 'names'],
    queryFn: ({ signal }) => body(api.GET('/api/v1/workflows', { params: { query: { limit: 100 } }, signal })),
  });
}

export function useSessions() {
  return useQuery({ ...sessions, enabled: useReachesAgents() });
}

export function useProxies() {
  return useQuery({ ...proxies, refetchInterval: SLOWLY, enabled: useReachesAgents() });
}

export function useProfiles() {
  return useQuery({
    enabled: useReachesAgents(),
    queryKey: ['profiles'],
    queryFn: ({ signal }) => data(api.GET('/api/profiles', { signal })),
  });
}

export function useToday() {
  return useQuery({ ...today, enabled: useReachesAgents() });
}

/** What happens elsewhere shows here. */
export function useDashboardEvents(): void {
  useInvalidate('workflows', [['executions'], ['workflows']]);
  useInvalidate('terminal', [['sessions']]);
  useInvalidate('proxy', [['proxies']]);
  useInvalidate('usage', [['usage']], undefined, 2_000);
  useInvalidate('profiles', [['profiles']]);
}
