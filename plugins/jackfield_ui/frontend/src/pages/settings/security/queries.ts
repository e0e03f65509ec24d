import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api, data } from '../../../api/client';

const KEY = 'own-security';

export function useOwnFactors() {
  return useQuery({
    queryKey: [KEY, 'factors'],
    queryFn: ({ signal }) => data(api.GET('/api/session/factors', { signal })),
  });
}

export function usePasskeys() {
  return useQuery({
    queryKey: [KEY, 'passkeys'],
    queryFn: ({ signal }) => data(api.GET('/api/session/passkeys', { signal })),
  });
}

export const SESSIONS = [KEY, 'sessions'];

/** After a change of a factor, which may have ended sessions. */
export function useReread(): () => void {
  const client = useQueryClient();
  return () => void client.invalidateQueries({ queryKey: [KEY] });
}
