import { useQuery } from '@tanstack/react-query';
import { request, segment } from '../../api/client';
import type { PageOf } from '../../api/paging';
import type { Schemas } from '../../api/types';

export type Credential = Schemas['CredentialRow'];
export type CredentialWhole = Schemas['CredentialShown'];
export type Kind = Schemas['KindShown'];
export type Values = Record<string, string>;

export const PATH = '/api/v1/credentials';
export const one = (id: string) => `${PATH}/${segment(id)}`;

const MOST_PAGES = 50;

/** All of them: they are few, and are sorted and filtered by kind here. */
export function useCredentials() {
  return useQuery({
    queryKey: ['credentials', 'list'],
    queryFn: async ({ signal }) => {
      const found: Credential[] = [];
      for (let page = 0; page < MOST_PAGES; page += 1) {
        const query = { limit: 100, offset: found.length };
        const part = await request<PageOf<Credential>>('GET', PATH, { query, signal });
        found.push(...part.data);
        if (found.length >= part.total || part.data.length === 0) break;
      }
      return found;
    },
  });
}

export function useCredential(id: string, enabled = true) {
  return useQuery({
    queryKey: ['credentials', 'one', id],
    enabled,
    queryFn: ({ signal }) => request<CredentialWhole>('GET', one(id), { signal }),
    placeholderData: undefined,
  });
}

export function useKinds() {
  return useQuery({
    queryKey: ['credential-kinds', 'by-name'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const found = await request<Schemas['KindList']>('GET', '/api/v1/credential-kinds', { signal });
      return new Map(found.data.map((kind) => [kind.kind, kind]));
    },
  });
}

/** What a new credential of a kind begins with. */
export function defaults(kind: Kind): Values {
  return Object.fromEntries(kind.fields.flatMap(({ name, default: value }) => (value ? [[name, value]] : [])));
}

/** Without what is empty: it is not set. */
export function given(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
}

/** An address that a window may be sent to; undefined for anything but the web's. */
export function webAddress(text: string): string | undefined {
  try {
    const url = new URL(text);
    return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : undefined;
  } catch {
    return undefined;
  }
}
