import { useQueryClient } from '@tanstack/react-query';
import { segment } from '../../../api/client';
import { areaPath } from '../../../app/areas';
import type { ProjectRole } from '../../../components/projects/queries';

export const KINDS = { shared: 'Shared', team: 'Team', personal: 'Personal' } as const;
export const ROLE_WORDS: Record<ProjectRole, string> = {
  'project:viewer': 'Viewer',
  'project:editor': 'Editor',
  'project:admin': 'Administrator',
};
export const ROLES: { value: ProjectRole; label: string }[] = [
  { value: 'project:viewer', label: 'Viewer: sees' },
  { value: 'project:editor', label: 'Editor: changes and runs' },
  { value: 'project:admin', label: 'Administrator: also names members' },
];
/** Kind of the API -> one and several. Others are not told of. */
export const HELD: Record<string, [string, string]> = {
  workflow: ['workflow', 'workflows'],
  credential: ['credential', 'credentials'],
  variable: ['variable', 'variables'],
  'data-table': ['data table', 'data tables'],
  folder: ['folder', 'folders'],
  profile: ['profile', 'profiles'],
  'virtual-key': ['virtual key', 'virtual keys'],
  draft: ['draft', 'drafts'],
  execution: ['execution of an unsaved workflow', 'executions of unsaved workflows'],
};

export const projectPath = (id: string) => `${areaPath('settings')}/projects/${segment(id)}`;

/** '3 workflows, 1 credential'; empty: nothing. */
export function heldWords(holds: Readonly<Record<string, number>>): string {
  return Object.entries(holds)
    .flatMap(([kind, many]) => {
      const words = HELD[kind];
      return words ? [`${many} ${many === 1 ? words[0] : words[1]}`] : [`${many} ${kind}`];
    })
    .join(', ');
}

export function useRereadProjects(): () => void {
  const client = useQueryClient();
  return () => {
    void client.invalidateQueries({ queryKey: ['projects'] });
    void client.invalidateQueries({ queryKey: ['placements'] });
  };
}
