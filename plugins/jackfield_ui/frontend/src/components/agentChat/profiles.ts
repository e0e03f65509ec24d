import { useQuery } from '@tanstack/react-query';
import { api, data } from '../../api/client';
import { useInvalidate } from '../../api/useEvents';

/** Profiles whose agents can be spoken to. */
export function useChatProfiles() {
  useInvalidate('profiles', [['profiles']]);
  return useQuery({
    queryKey: ['profiles'],
    queryFn: ({ signal }) => data(api.GET('/api/profiles', { signal })),
  });
}
