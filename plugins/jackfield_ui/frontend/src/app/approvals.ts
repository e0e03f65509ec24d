import { useQuery } from '@tanstack/react-query';
import { api, body } from '../api/client';
import type { Schemas } from '../api/types';
import { useInvalidate } from '../api/useEvents';
import { useSession } from './session';

export type Approval = Schemas['ApprovalOut'];
export type ApprovalState = 'open' | 'all';

/** The start of every key, of the list and of the navigation's count. */
export const APPROVALS = ['approvals'] as const;

/** So many are read at once; the list says when there are more. */
const MOST = 100;

/** What is asked, newest first. It is read again when something is asked or answered, at whichever daemon. */
export function useApprovals(state: ApprovalState) {
  const signedIn = useSession().info?.user != null;
  useInvalidate('approvals', [APPROVALS]);
  useInvalidate('workflows', [APPROVALS], ['execution.waiting', 'execution.started', 'execution.finished']);
  return useQuery({
    queryKey: [...APPROVALS, state],
    queryFn: ({ signal }) => body(api.GET('/api/v1/approvals', { params: { query: { state, limit: MOST } }, signal })),
    enabled: signedIn,
  });
}
