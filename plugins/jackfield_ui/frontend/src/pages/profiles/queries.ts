import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, body, data } from '../../api/client';
import type { Agent, Profile, ProxyState, Schemas } from '../../api/types';
import { useInvalidate } from '../../api/useEvents';

export type Detail = Schemas['ProfileDetail'];
export type Template = Schemas['TemplateOut'];
export type AgentDetail = Schemas['AgentDetail'];
export type Provider = Schemas['ProviderItem'];
export type ProviderDetail = Schemas['ProviderDetail'];
export type RunResult = Schemas['RunResult'];
export type Sandbox = Detail['sandbox'];

const ONE = '/api/profiles/{alias}';

/** Of one profile. */
export const ofProfile = (alias: string) => ({ params: { path: { alias } } });

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
    queryFn: ({ signal }) => data(api.GET(ONE, { ...ofProfile(alias), signal })),
    placeholderData: undefined,
  });
}

export function useEnvironment(alias: string) {
  return useQuery({
    queryKey: ['profiles', 'env', alias],
    queryFn: ({ signal }) => data(api.GET('/api/profiles/{alias}/env', { ...ofProfile(alias), signal })),
    placeholderData: undefined,
  });
}

export function useProxies() {
  return useQuery({
    queryKey: ['proxies'],
    queryFn: ({ signal }): Promise<ProxyState[]> => data(api.GET('/api/proxy/status', { signal })),
  });
}

/** Live workflows that are offered as tools. */
export function useOfferedTools(enabled: boolean) {
  return useQuery({
    queryKey: ['workflows', 'offered'],
    queryFn: async ({ signal }) => (await body(api.GET('/api/v1/mcp/offered-tools', { signal }))).data,
    enabled,
  });
}

/** The daemon's own MCP tools. */
export function useDaemonTools(enabled: boolean) {
  return useQuery({
    queryKey: ['mcp', 'tools'],
    queryFn: async ({ signal }) => (await body(api.GET('/api/v1/mcp/tools', { signal }))).data,
    enabled,
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
    queryFn: ({ signal }) =>
      data(api.GET('/api/agents/{agent_id}', { params: { path: { agent_id: id ?? '' } }, signal })),
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
    queryFn: ({ signal }) =>
      data(api.GET('/api/providers/{provider_id}', { params: { path: { provider_id: id ?? '' } }, signal })),
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
    mutationFn: (body: Schemas['ProfileBody']) => data(api.POST('/api/profiles', { body })),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['profiles'] });
      void client.invalidateQueries({ queryKey: ['agents'] });
    },
  });
}

export function useChange(alias: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas['ProfileChange']) => data(api.PATCH(ONE, { ...ofProfile(alias), body })),
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
      api.DELETE(ONE, { params: { path: { alias }, query: { purge, force } } }),
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
      ...body
    }: {
      prompt: string;
      timeout?: number;
      working_dir?: string;
      signal: AbortSignal;
    }) => data(api.POST('/api/profiles/{alias}/run', { ...ofProfile(alias), body, signal })),
  });
}
