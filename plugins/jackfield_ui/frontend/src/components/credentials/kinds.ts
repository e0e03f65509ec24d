import { useQuery } from '@tanstack/react-query';
import { api, body } from '../../api/client';
import type { Schemas } from '../../api/types';

export type Credential = Schemas['CredentialRow'];
export type CredentialType = Schemas['KindShown'];
export type CredentialValues = Record<string, string>;

export const CREDENTIALS = '/api/v1/credentials' as const;

export function useCredentialTypes() {
  return useQuery({
    queryKey: ['credential-kinds', 'by-name'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const found = await body(api.GET('/api/v1/credential-kinds', { signal }));
      return new Map(found.data.map((kind) => [kind.kind, kind]));
    },
  });
}

const MOST_PAGES = 50;

/** All of them: they are few, and are sorted and filtered by kind here. */
export function useStoredCredentials() {
  return useQuery({
    queryKey: ['credentials', 'list'],
    queryFn: async ({ signal }) => {
      const found: Credential[] = [];
      for (let page = 0; page < MOST_PAGES; page += 1) {
        const query = { limit: 100, offset: found.length };
        const part = await body(api.GET(CREDENTIALS, { params: { query }, signal }));
        found.push(...part.data);
        if (found.length >= part.total || part.data.length === 0) break;
      }
      return found;
    },
  });
}

/** What a new credential of a kind begins with. */
export function defaults(kind: CredentialType): CredentialValues {
  return Object.fromEntries(kind.fields.flatMap(({ name, default: value }) => (value ? [[name, value]] : [])));
}

/** Without what is empty: it is not set. */
export function given(values: CredentialValues): CredentialValues {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
}
