import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, body } from '../../api/client';
import type { Schemas } from '../../api/types';
import { useEvents } from '../../api/useEvents';

export type Registry = Schemas['RegistryData'];

/** The state, and what is wrong with what is on the disk. */
export function useRegistry() {
  return useQuery({
    queryKey: ['registry'],
    queryFn: async ({ signal }) => {
      const answer = await body(api.GET('/api/registry', { signal }));
      return { state: answer.data, warnings: answer.warnings ?? [] };
    },
  });
}

/** Whether a sync runs, whoever began it, and how the last one failed. */
export function useSyncing(): { syncing: boolean; problem: string | undefined } {
  const client = useQueryClient();
  const [now, setNow] = useState<{ syncing: boolean; problem: string | undefined }>({
    syncing: false,
    problem: undefined,
  });
  useEvents('registry', ({ type, data }) => {
    if (type === 'sync_started') setNow({ syncing: true, problem: undefined });
    else if (type === 'sync_failed') setNow({ syncing: false, problem: String(data.message) });
    else if (type === 'sync_completed') setNow({ syncing: false, problem: undefined });
    if (type !== 'sync_started') void client.invalidateQueries({ queryKey: ['registry'] });
  });
  return now;
}
