import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, data } from '../../api/client';
import { ApiError, isRecord } from '../../api/errors';
import type { Schemas } from '../../api/types';
import { useEvents, useInvalidate } from '../../api/useEvents';
import { notifyError } from '../../components/notify';

/** A request of the live table. */
export type Served = Schemas['ServedShown'];

export interface Asked {
  model: string;
  tokens: number;
  tools: number;
  thinking: boolean;
  image: boolean;
  web_search: boolean;
  headers: Record<string, string>;
  time?: string;
}

export type RuleTest = Schemas['RuleTestResult'];

/** What no event tells: that a process has ended by itself, or a budget was reset. */
const SLOWLY = 30_000;
const LOG_EVERY = 3_000;
export const MOST_REQUESTS = 200;
const STATES = [
  'proxy_started',
  'proxy_stopped',
  'proxy_status_changed',
  'proxy_budget_warning',
  'proxy_budget_exceeded',
];

export function useProxies() {
  return useQuery({
    queryKey: ['proxies'],
    queryFn: ({ signal }) => data(api.GET('/api/proxy/status', { signal })),
    refetchInterval: SLOWLY,
  });
}

export function useProxy(alias: string) {
  return useQuery({
    queryKey: ['proxies', alias, 'status'],
    queryFn: ({ signal }) => data(api.GET('/api/proxy/status/{alias}', { params: { path: { alias } }, signal })),
    refetchInterval: SLOWLY,
  });
}

/** States at once, counts of requests every two seconds. */
export function useProxyEvents(): void {
  useInvalidate('proxy', [['proxies']], STATES, 200);
  useInvalidate('proxy', [['proxies']], ['proxy_request'], 2_000);
}

type Config = Record<string, unknown>;

/** With the tag of what is stored, so that nothing is saved over what somebody else has saved. */
export function useConfig(alias: string) {
  useInvalidate('profiles', [['proxy-config', alias]], ['profile_updated']);
  return useQuery({
    queryKey: ['proxy-config', alias],
    queryFn: ({ signal }) => stored(api.GET(CONFIG, { params: { path: { alias } }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: undefined,
  });
}

const CONFIG = '/api/proxy/{alias}/config';

async function stored(call: Promise<{ data?: Schemas['ConfigShown']; response: Response }>) {
  const { data: answer, response } = await call;
  return { value: answer?.data ?? {}, tag: response.headers.get('etag') ?? undefined };
}

/** Somebody else was faster. */
export function isChanged(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'PROXY_CONFIG_CHANGED';
}

export function useSave(alias: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ config, tag }: { config: Config; tag: string | undefined }) =>
      stored(api.PUT(CONFIG, { params: { path: { alias } }, body: config, headers: { 'If-Match': tag ?? '*' } })),
    onError: (error) => {
      if (isChanged(error)) void client.invalidateQueries({ queryKey: ['proxy-config', alias] });
    },
    onSuccess: (stored) => {
      client.setQueryData(['proxy-config', alias], stored);
      void client.invalidateQueries({ queryKey: ['proxies'] });
      void client.invalidateQueries({ queryKey: ['profiles'] });
    },
  });
}

export type Act = 'start' | 'stop' | 'restart';

export function useAct() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ alias, act }: { alias: string; act: Act }) =>
      data(api.POST(`/api/proxy/{alias}/${act}`, { params: { path: { alias } } })),
    onError: (error) => notifyError(error),
    onSettled: () => client.invalidateQueries({ queryKey: ['proxies'] }),
  });
}

export function useStopAll() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => data(api.POST('/api/proxy/stop-all')),
    onError: (error) => notifyError(error),
    onSettled: () => client.invalidateQueries({ queryKey: ['proxies'] }),
  });
}

export function useKinds() {
  return useQuery({
    queryKey: ['proxy-kinds'],
    queryFn: ({ signal }) => data(api.GET('/api/proxy/kinds', { signal })),
    staleTime: 300_000,
  });
}

export function useProviders() {
  return useQuery({
    queryKey: ['providers'],
    queryFn: ({ signal }) => data(api.GET('/api/providers', { signal })),
    staleTime: 60_000,
  });
}

export function useProvider(id: string) {
  return useQuery({
    queryKey: ['providers', id],
    enabled: id !== '',
    placeholderData: undefined,
    queryFn: ({ signal }) =>
      data(api.GET('/api/providers/{provider_id}', { params: { path: { provider_id: id } }, signal })),
    retry: false,
    staleTime: 60_000,
  });
}

export function useProfiles() {
  return useQuery({
    queryKey: ['profiles'],
    queryFn: ({ signal }) => data(api.GET('/api/profiles', { signal })),
  });
}

/** Which rule would take a request; nothing is sent, and the configuration is not stored. */
export function useRuleTest(alias: string, asked: Asked, config: unknown) {
  return useQuery({
    queryKey: ['proxy-rule-test', alias, asked, config],
    enabled: asked.model.trim() !== '' && config !== undefined,
    queryFn: ({ signal }) =>
      data(
        api.POST('/api/proxy/{alias}/test', {
          params: { path: { alias } },
          body: { ...asked, config: isRecord(config) ? config : null },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 0,
    gcTime: 10_000,
  });
}

/** The latest requests, the newest first; each comes as it ends. */
export function useRequests(alias: string) {
  const client = useQueryClient();
  const queryKey = ['proxy-requests', alias];
  useEvents(
    'proxy',
    ({ type, data: event }) => {
      if (type !== 'proxy_request' || event.profile !== alias) return;
      const served = event as unknown as Served;
      client.setQueryData<Served[]>(queryKey, (before) =>
        before ? [served, ...before.filter(({ id }) => id !== served.id)].slice(0, MOST_REQUESTS) : before,
      );
    },
    () => void client.invalidateQueries({ queryKey }),
  );
  return useQuery({
    queryKey,
    placeholderData: undefined,
    queryFn: ({ signal }) =>
      data(
        api.GET('/api/proxy/{alias}/requests', {
          params: { path: { alias }, query: { limit: MOST_REQUESTS } },
          signal,
        }),
      ),
  });
}

export function useLog(alias: string, lines: number) {
  return useQuery({
    queryKey: ['proxy-log', alias, lines],
    refetchInterval: LOG_EVERY,
    queryFn: ({ signal }) =>
      data(api.GET('/api/proxy/{alias}/logs', { params: { path: { alias }, query: { lines } }, signal })),
  });
}
