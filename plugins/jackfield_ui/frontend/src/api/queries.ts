import { keepPreviousData, QueryClient } from '@tanstack/react-query';
import { connection } from './connection';
import { ApiError } from './errors';

/** What the user must mend is not tried again, and a daemon that is away comes back by itself. */
function tryAgain(failures: number, error: unknown): boolean {
  return failures < 2 && error instanceof ApiError && error.status >= 500;
}

export function makeQueryClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        gcTime: 5 * 60_000,
        retry: tryAgain,
        // The daemon is on this machine: what the browser believes of the network says nothing about it.
        networkMode: 'always',
        placeholderData: keepPreviousData,
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  connection.onReturn(() => void client.invalidateQueries());
  return client;
}
