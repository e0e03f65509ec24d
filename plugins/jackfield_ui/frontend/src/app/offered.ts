import { useMemo } from 'react';
import type { Area } from './areas';
import { SHOWN_AREAS } from './pages';
import { useReachesAgents, useSession } from './session';

/**
 * The areas that are offered: some only where several daemons share the store, or did a short time ago, others only by
 * an address that reaches agents.
 */
export function useOfferedAreas(): readonly Area[] {
  const { info } = useSession();
  const several = (info?.hosts ?? 1) > 1;
  const agents = useReachesAgents();
  return useMemo(
    () => SHOWN_AREAS.filter((area) => (several || !area.several) && (agents || !area.ofAgents)),
    [several, agents],
  );
}
