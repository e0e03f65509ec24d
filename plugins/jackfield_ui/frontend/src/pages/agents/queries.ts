import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, body, data } from '../../api/client';
import type { Schemas } from '../../api/types';
import { useInvalidate } from '../../api/useEvents';

export type AgentDetail = Schemas['AgentDetail'];
export type Provider = Schemas['ProviderItem'];
export type ProviderBody = Schemas['CustomProviderBody'];
export type ProviderDetail = Schemas['ProviderDetail'];
/** Providers that were added here. */
const CUSTOM = '/api/custom-providers';
const KEY = '/api/providers/{provider_id}/key';
const ofProvider = (id: string) => ({ params: { path: { provider_id: id } } });
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
    queryFn: ({ signal }) => data(api.GET('/api/agents/{agent_id}', { params: { path: { agent_id: id } }, signal })),
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
    queryFn: ({ signal }) => data(api.GET('/api/providers/{provider_id}', { ...ofProvider(id), signal })),
    placeholderData: undefined,
  });
}

export function useKeySource(id: string) {
  return useQuery({
    queryKey: ['providers', 'key', id],
    queryFn: ({ signal }) => data(api.GET(KEY, { ...ofProvider(id), signal })),
    placeholderData: undefined,
  });
}

/** Adds a provider, and then its key where there is one; a key that is refused takes the provider back. */
export function useAddProvider() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ body, key }: { body: ProviderBody; key: string }) => {
      await api.POST(CUSTOM, { body });
      if (!key) return;
      try {
        await api.PUT(KEY, { ...ofProvider(body.id), body: { api_key: key } });
      } catch (error) {
        await api.DELETE('/api/custom-providers/{provider_id}', ofProvider(body.id));
        throw error;
      }
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ['providers'] }),
  });
}

export function useRemoveProvider(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.DELETE('/api/custom-providers/{provider_id}', ofProvider(id)),
    onSuccess: () => client.invalidateQueries({ queryKey: ['providers'] }),
  });
}

/** Sets a provider's key, or removes it: null. It never comes back. */
export function useProviderKey(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (key: string | null) =>
      key === null
        ? data(api.DELETE(KEY, ofProvider(id)))
        : data(api.PUT(KEY, { ...ofProvider(id), body: { api_key: key } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ['providers'] }),
  });
}
