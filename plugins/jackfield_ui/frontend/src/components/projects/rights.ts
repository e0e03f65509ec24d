import { useMay } from '../../app/session';
import {
  type Kind,
  type Placement,
  type Project,
  type ProjectRole,
  usePlacements,
  useProjects,
  useProjectsInUse,
} from './queries';

/** start: run; write: change and delete; admin: move and share. */
export type Right = 'start' | 'write' | 'admin';

const ORDER: readonly ProjectRole[] = ['project:viewer', 'project:editor', 'project:admin'];
const NEEDED: Record<Right, ProjectRole> = { start: 'project:editor', write: 'project:editor', admin: 'project:admin' };

export function reaches(role: ProjectRole | null | undefined, right: Right): boolean {
  return role !== null && role !== undefined && ORDER.indexOf(role) >= ORDER.indexOf(NEEDED[right]);
}

/** Whether a role in the thing's project, or in one that it is shared with, allows it. */
export function allows(placement: Placement, projects: readonly Project[], right: Right): boolean {
  const inProject = (id: string) => reaches(projects.find((one) => one.id === id)?.role, right);
  return inProject(placement.projectId) || (right === 'start' && placement.sharedWith.some(inProject));
}

export interface Belonging {
  /** Undefined while it is not known, and while nobody uses projects. */
  place: (id: string) => Placement | undefined;
  may: (id: string, right: Right) => boolean;
  projects: readonly Project[];
}

/** What the user may do to each of some things of a kind. The daemon decides; buttons follow it. */
export function useBelonging(kind: Kind, ids: readonly string[]): Belonging {
  const inUse = useProjectsInUse();
  const [member, admin] = [useMay('member'), useMay('admin')];
  const { data: projects = NONE } = useProjects(inUse);
  const places = usePlacements(kind, ids);
  const may = (id: string, right: Right): boolean => {
    if (!inUse && right === 'admin') return false; // there is nowhere to move it to
    if (admin || !member) return admin;
    if (!inUse) return true;
    const placement = places.get(id);
    return placement !== undefined && allows(placement, projects, right);
  };
  return { place: (id) => places.get(id), may, projects };
}

const NONE: readonly Project[] = [];
