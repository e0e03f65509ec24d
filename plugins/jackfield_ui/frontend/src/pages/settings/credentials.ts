import { useQuery } from '@tanstack/react-query';
import { request, segment } from '../../api/client';
import type { Schemas } from '../../api/types';
import { CREDENTIALS } from '../../components/credentials/kinds';

export {
  type CredentialKind as Kind,
  type CredentialValues as Values,
  defaults,
  given,
  useCredentialKinds as useKinds,
  useStoredCredentials as useCredentials,
} from '../../components/credentials/kinds';

export type Credential = Schemas['CredentialRow'];
export type CredentialWhole = Schemas['CredentialShown'];

export const PATH = CREDENTIALS;
export const one = (id: string) => `${PATH}/${segment(id)}`;

export function useCredential(id: string, enabled = true) {
  return useQuery({
    queryKey: ['credentials', 'one', id],
    enabled,
    queryFn: ({ signal }) => request<CredentialWhole>('GET', one(id), { signal }),
    placeholderData: undefined,
  });
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
