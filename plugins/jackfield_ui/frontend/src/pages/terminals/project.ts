import { useMemo } from 'react';
import type { TerminalSession } from '../../api/types';
import type { Placement } from '../../components/projects/queries';
import { type Belonging, useBelonging } from '../../components/projects/rights';

type Placed = Pick<TerminalSession, 'id' | 'profile_alias' | 'project_id'>;

/** Where sessions belong, by their id: an agent's with its profile, a shell where it was started. */
export function useBelongingOfSessions(sessions: readonly Placed[]): Belonging {
  const aliases = useMemo(() => aliasesOf(sessions), [sessions]);
  const profiles = useBelonging('profile', aliases);
  return { ...profiles, place: (id) => placeOf(sessions, id, profiles.place) };
}

export const aliasesOf = (sessions: readonly Placed[]): string[] =>
  [...new Set(sessions.flatMap(({ profile_alias }) => profile_alias || []))].sort();

export function placeOf(sessions: readonly Placed[], id: string, ofProfile: Belonging['place']): Placement | undefined {
  const session = sessions.find((one) => one.id === id);
  if (session?.profile_alias) return ofProfile(session.profile_alias);
  return session?.project_id ? { kind: 'profile', id, projectId: session.project_id, sharedWith: [] } : undefined;
}
