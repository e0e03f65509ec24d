import { useQuery } from '@tanstack/react-query';
import { api, body } from '../../api/client';
import type { Schemas } from '../../api/types';
import { CREDENTIALS } from '../../components/credentials/kinds';

export {
  type CredentialType,
  type CredentialValues as Values,
  defaults,
  given,
  useCredentialTypes,
  useStoredCredentials as useCredentials,
} from '../../components/credentials/kinds';

export type Credential = Schemas['CredentialRow'];
export type CredentialWhole = Schemas['CredentialShown'];

export const PATH = CREDENTIALS;
export const ONE = '/api/v1/credentials/{credential_id}';

/** Of one credential. */
export const ofCredential = (id: string) => ({ params: { path: { credential_id: id } } });

export function useCredential(id: string, enabled = true) {
  return useQuery({
    queryKey: ['credentials', 'one', id],
    enabled,
    queryFn: ({ signal }) => body(api.GET(ONE, { ...ofCredential(id), signal })),
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
