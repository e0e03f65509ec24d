import { useQueryClient } from '@tanstack/react-query';
import { segment } from '../../../api/client';
import { areaPath } from '../../../app/areas';
import type { ProjectRole } from '../../../components/projects/queries';
import { t } from '../../../language/messages';

export const KINDS = { shared: t('Shared'), team: t('Team'), personal: t('Personal') } as const;
export const ROLE_WORDS: Record<ProjectRole, string> = {
  'project:viewer': t('Viewer'),
  'project:editor': t('Editor'),
  'project:admin': t('Administrator'),
};
export const ROLES: { value: ProjectRole; label: string }[] = [
  { value: 'project:viewer', label: t('Viewer: sees') },
  { value: 'project:editor', label: t('Editor: changes and runs') },
  { value: 'project:admin', label: t('Administrator: also names members') },
];
/** Kind of the API -> one and several. Others are not told of. */
export const HELD: Record<string, [string, string]> = {
  workflow: [t('workflow'), t('workflows')],
  credential: [t('credential'), t('credentials')],
  variable: [t('variable'), t('variables')],
  'data-table': [t('data table'), t('data tables')],
  folder: [t('folder'), t('folders')],
  profile: [t('profile'), t('profiles')],
  'virtual-key': [t('virtual key'), t('virtual keys')],
  draft: [t('draft'), t('drafts')],
  execution: [t('execution of an unsaved workflow'), t('executions of unsaved workflows')],
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
