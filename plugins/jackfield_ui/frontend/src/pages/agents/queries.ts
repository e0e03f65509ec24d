import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, body, request, segment } from '../../api/client';
import type { Schemas } from '../../api/types';
import { useInvalidate } from '../../api/useEvents';

export type AgentDetail = Schemas['AgentDetail'];
export type Provider = Schemas['ProviderItem'];
export type ProviderBody = Schemas['CustomProviderBody'];
export type ProviderDetail = Schemas['ProviderDetail'];
/** Providers that were added here. */
const CUSTOM = '/api/custom-providers';
/** Where the key for proxies comes from; null: from nowhere. */
export type KeySource = 'stored' | 'environment' | null;

/** Agents with the warnings that stand beside them. */
export function useAgents() {
  useInvalidate('agents', [['agents'], ['providers']]);
  return useQuery({
    queryKey: ['agents', 'list'],
    queryFn: ({ signal }) => body(api.GET('/api/agents', { signal })),
  });
}

export function useAgent(id: string) {
  useInvalidate('agents', [['agents']]);
  return useQuery({
    queryKey: ['agents', 'one', id],
    queryFn: ({ signal }) => request<AgentDetail>('GET', `/api/agents/${segment(id)}`, { signal }),
    placeholderData: undefined,
  });
}

export function useProviders() {
  return useQuery({
    queryKey: ['providers', 'list'],
    queryFn: ({ signal }) => body(api.GET('/api/providers', { signal })),
  });
}

export function useProvider(id: string) {
  return useQuery({
    queryKey: ['providers', 'one', id],
    queryFn: ({ signal }) => request<ProviderDetail>('GET', `/api/providers/${segment(id)}`, { signal }),
    placeholderData: undefined,
  });
}

export function useKeySource(id: string) {
  return useQuery({
    queryKey: ['providers', 'key', id],
    queryFn: ({ signal }) => request<{ source: KeySource }>('GET', `/api/providers/${segment(id)}/key`, { signal }),
    placeholderData: undefined,
  });
}

/** Adds a provider, and then its key where there is one; a key that is refused takes the provider back. */
export function useAddProvider() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ body, key }: { body: ProviderBody; key: string }) => {
      await request('POST', CUSTOM, { json: body });
      if (!key) return;
      try {
        await request('PUT', `/api/providers/${segment(body.id)}/key`, { json: { api_key: key } });
      } catch (error) {
        await request('DELETE', `${CUSTOM}/${segment(body.id)}`);
        throw error;
      }
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ['providers'] }),
  });
}

export function useRemoveProvider(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => request('DELETE', `${CUSTOM}/${segment(id)}`),
    onSuccess: () => client.invalidateQueries({ queryKey: ['providers'] }),
  });
}

/** Sets a provider's key, or removes it: null. It never comes back. */
export function useProviderKey(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (key: string | null) =>
      key === null
        ? request('DELETE', `/api/providers/${segment(id)}/key`)
        : request('PUT', `/api/providers/${segment(id)}/key`, { json: { api_key: key } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['providers'] }),
  });
}
