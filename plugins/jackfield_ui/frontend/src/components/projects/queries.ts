import { useQuery } from '@tanstack/react-query';
import { api, body } from '../../api/client';
import type { Schemas } from '../../api/types';
import { useInvalidate } from '../../api/useEvents';
import { useSession } from '../../app/session';

export type Project = Schemas['ProjectShown'];
export type ProjectRole = NonNullable<Project['role']>;
export type Placement = Schemas['PlacementShown'];
export type Kind = Placement['kind'];

/** The project that has whatever is in no other one. */
export const SHARED = 'jackfield';
export const PROJECTS = '/api/v1/projects';
export const PROJECT = '/api/v1/projects/{project_id}';
const PLACEMENT = '/api/v1/placements/{kind}/{resource_id}';
const SHARE = '/api/v1/placements/{kind}/{resource_id}/shares/{project_id}';
/** Ids in one question. */
const AT_ONCE = 200;

export const ofProject = (id: string) => ({ params: { path: { project_id: id } } });

/** Whether anything belongs to another project than the shared one, so that there is something to tell. */
export function useProjectsInUse(): boolean {
  return useSession().info?.projects ?? false;
}

/** Those of the user, by name; of administrators all but other people's own. */
export function useProjects(enabled = true) {
  const found = useQuery({
    queryKey: ['projects'],
    queryFn: async ({ signal }) => (await body(api.GET(PROJECTS, { signal }))).data,
    staleTime: 30_000,
    enabled,
  });
  useInvalidate('workflows', [['projects'], ['placements']], ['projects.changed']);
  return found;
}

/** Where things of a kind belong, by their id. Nothing is asked while nobody uses projects. */
export function usePlacements(kind: Kind, ids: readonly string[]): ReadonlyMap<string, Placement> {
  const inUse = useProjectsInUse();
  const { data = NOWHERE } = useQuery({
    queryKey: ['placements', kind, ids],
    queryFn: ({ signal }) => readPlacements(kind, ids, signal),
    enabled: inUse && ids.length > 0,
  });
  return data;
}

const NOWHERE: ReadonlyMap<string, Placement> = new Map();

async function readPlacements(kind: Kind, ids: readonly string[], signal: AbortSignal) {
  const found = new Map<string, Placement>();
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const query = { kind, ids: ids.slice(from, from + AT_ONCE).join(',') };
    const part = await body(api.GET('/api/v1/placements', { params: { query }, signal }));
    for (const each of part.data) found.set(each.id, each);
  }
  return found;
}

export function move(kind: Kind, id: string, project: string) {
  const params = { path: { kind, resource_id: id } };
  return api.PUT(PLACEMENT, { params, body: { projectId: project } });
}

export function share(kind: Kind, id: string, project: string) {
  return api.PUT(SHARE, { params: { path: { kind, resource_id: id, project_id: project } } });
}

export function unshare(kind: Kind, id: string, project: string) {
  return api.DELETE(SHARE, { params: { path: { kind, resource_id: id, project_id: project } } });
}
