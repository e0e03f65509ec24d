import type { Area } from './areas';
import { SHOWN_AREAS } from './pages';
import { useSession } from './session';

const OF_ONE: readonly Area[] = SHOWN_AREAS.filter((area) => !area.several);

/** The areas that are offered: some only where several daemons share the store, or did a short time ago. */
export function useOfferedAreas(): readonly Area[] {
  return (useSession().info?.hosts ?? 1) > 1 ? SHOWN_AREAS : OF_ONE;
}
