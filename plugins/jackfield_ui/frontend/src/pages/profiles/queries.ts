import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, data, request, segment } from '../../api/client';
import type { Agent, Profile, ProxyState, Schemas } from '../../api/types';
import { useInvalidate } from '../../api/useEvents';

export type Detail = Schemas['ProfileDetail'];
export type Template = Schemas['TemplateOut'];
export type AgentDetail = Schemas['AgentDetail'];
export type Provider = Schemas['ProviderItem'];
export type ProviderDetail = Schemas['ProviderDetail'];
export type RunResult = Schemas['RunResult'];
export type Sandbox = Detail['sandbox'];

export const profilePath = (alias: string) => `/api/profiles/${segment(alias)}`;

export function useProfiles() {
  useInvalidate('profiles', [['profiles']]);
  return useQuery({
    queryKey: ['profiles'],
    queryFn: ({ signal }): Promise<Profile[]> => data(api.GET('/api/profiles', { signal })),
  });
}

/** The warnings of the list stand beside its data: files that cannot be read. */
export function useProfileWarnings() {
  return useQuery({
    queryKey: ['profiles', 'warnings'],
    queryFn: async ({ signal }) => (await api.GET('/api/profiles', { signal })).data?.warnings ?? [],
  });
}

export function useProfile(alias: string) {
  useInvalidate('profiles', [['profiles']]);
  return useQuery({
    queryKey: ['profiles', 'one', alias],
    queryFn: ({ signal }) => request<Detail>('GET', profilePath(alias), { signal }),
    placeholderData: undefined,
  });
}

export function useEnvironment(alias: string) {
  return useQuery({
    queryKey: ['profiles', 'env', alias],
    queryFn: ({ signal }) => request<Record<string, string>>('GET', `${profilePath(alias)}/env`, { signal }),
    placeholderData: undefined,
  });
}

export function useProxies() {
  return useQuery({
    queryKey: ['proxies'],
    queryFn: ({ signal }): Promise<ProxyState[]> => data(api.GET('/api/proxy/status', { signal })),
  });
}

export function useAgents() {
  return useQuery({
    queryKey: ['agents'],
    queryFn: ({ signal }): Promise<Agent[]> => data(api.GET('/api/agents', { signal })),
  });
}

export function useAgent(id: string | undefined) {
  return useQuery({
    queryKey: ['agents', 'one', id],
    queryFn: ({ signal }) => request<AgentDetail>('GET', `/api/agents/${segment(id ?? '')}`, { signal }),
    enabled: Boolean(id),
    placeholderData: undefined,
  });
}

export function useProviders() {
  return useQuery({
    queryKey: ['providers'],
    queryFn: ({ signal }): Promise<Provider[]> => data(api.GET('/api/providers', { signal })),
  });
}

export function useProvider(id: string | undefined) {
  return useQuery({
    queryKey: ['providers', 'one', id],
    queryFn: ({ signal }) => request<ProviderDetail>('GET', `/api/providers/${segment(id ?? '')}`, { signal }),
    enabled: Boolean(id),
    placeholderData: undefined,
  });
}

export function useTemplates() {
  return useQuery({
    queryKey: ['profile-templates'],
    queryFn: ({ signal }): Promise<Template[]> => data(api.GET('/api/profile-templates', { signal })),
  });
}

export function useCreate() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (json: object) => request<{ alias: string; warning?: string }>('POST', '/api/profiles', { json }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['profiles'] });
      void client.invalidateQueries({ queryKey: ['agents'] });
    },
  });
}

export function useChange(alias: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (json: object) => request<Detail & { warning?: string }>('PATCH', profilePath(alias), { json }),
    onSuccess: (changed) => {
      client.setQueryData(['profiles', 'one', alias], changed);
      void client.invalidateQueries({ queryKey: ['profiles'] });
    },
  });
}

export function useDelete(alias: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ purge, force }: { purge: boolean; force: boolean }) =>
      request('DELETE', profilePath(alias), { query: { purge, force } }),
    onSuccess: () => {
      client.removeQueries({ queryKey: ['profiles', 'one', alias] });
      void client.invalidateQueries({ queryKey: ['profiles'], exact: true });
    },
  });
}

export function useRun(alias: string) {
  return useMutation({
    mutationFn: ({
      signal,
      ...json
    }: {
      prompt: string;
      timeout?: number;
      working_dir?: string;
      signal: AbortSignal;
    }) => request<RunResult>('POST', `${profilePath(alias)}/run`, { json, signal }),
  });
}
