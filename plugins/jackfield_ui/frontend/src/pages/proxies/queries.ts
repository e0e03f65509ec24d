import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, data, request, segment, tagged } from '../../api/client';
import { ApiError } from '../../api/errors';
import { useEvents, useInvalidate } from '../../api/useEvents';
import { notifyError } from '../../components/notify';
import type { Condition } from './model';

export interface Kinds {
  strategies: { name: string; plugin: string | null }[];
  conditions: { name: string; plugin: string | null }[];
}

/** A request of the live table. */
export interface Served {
  id: string;
  time: string;
  dialect: string;
  asked_model: string;
  provider: string;
  model: string;
  rule: string | null;
  reason: string;
  status: number;
  stream: boolean;
  translated: boolean;
  attempts: number;
  duration_ms: number;
  first_byte_ms: number | null;
  estimated_tokens: number;
  usage: {
    input_tokens: number;
    output_tokens: number | null;
    cache_read_tokens: number;
    cache_creation_tokens: number;
  } | null;
  cost_usd: number | null;
  error: string | null;
}

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

export interface RuleTest {
  provider: string;
  model: string;
  rule: string | null;
  reason: string;
  usable: boolean;
  then: string[];
  rules: { name: string; target: string; priority: number; condition: Condition; fits: boolean }[];
}

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
    queryFn: ({ signal }) => tagged<Config>('GET', configPath(alias), { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: undefined,
  });
}

function configPath(alias: string): string {
  return `/api/proxy/${segment(alias)}/config`;
}

/** Somebody else was faster. */
export function isChanged(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'PROXY_CONFIG_CHANGED';
}

export function useSave(alias: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ config, tag }: { config: Config; tag: string | undefined }) =>
      tagged<Config>('PUT', configPath(alias), { json: config, ifMatch: tag }),
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
      request('POST', `/api/proxy/${segment(alias)}/${act}`, {}),
    onError: (error) => notifyError(error),
    onSettled: () => client.invalidateQueries({ queryKey: ['proxies'] }),
  });
}

export function useStopAll() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => request('POST', '/api/proxy/stop-all', {}),
    onError: (error) => notifyError(error),
    onSettled: () => client.invalidateQueries({ queryKey: ['proxies'] }),
  });
}

export function useKinds() {
  return useQuery({
    queryKey: ['proxy-kinds'],
    queryFn: ({ signal }) => request<Kinds>('GET', '/api/proxy/kinds', { signal }),
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
      request<RuleTest>('POST', `/api/proxy/${segment(alias)}/test`, { json: { ...asked, config }, signal }),
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
      request<Served[]>('GET', `/api/proxy/${segment(alias)}/requests`, { query: { limit: MOST_REQUESTS }, signal }),
  });
}

export function useLog(alias: string, lines: number) {
  return useQuery({
    queryKey: ['proxy-log', alias, lines],
    refetchInterval: LOG_EVERY,
    queryFn: ({ signal }) =>
      request<{ lines: string[] }>('GET', `/api/proxy/${segment(alias)}/logs`, { query: { lines }, signal }),
  });
}
