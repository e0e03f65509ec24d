import { Badge, Group, Tooltip, VisuallyHidden } from '@mantine/core';
import { IconShare } from '../../icons/drawn';
import { t } from '../../language/messages';
import type { Column } from '../table/types';
import { SHARED } from './queries';
import type { Belonging } from './rights';

/** The name of a project; administrators see things of people whose own project is not among theirs. */
export function projectName(belonging: Pick<Belonging, 'projects'>, id: string): string {
  const known = belonging.projects.find((one) => one.id === id);
  return known?.name ?? (id === SHARED ? t('Shared') : t('Another person’s own'));
}

/** Where a thing belongs, and how many other projects may use it. */
export function ProjectBadge({ id, belonging }: { id: string; belonging: Belonging }) {
  const place = belonging.place(id);
  if (!place) return null;
  const others = place.sharedWith.map((project) => projectName(belonging, project)).join(', ');
  return (
    <Group gap={4} wrap="nowrap">
      <Badge variant="light" color={place.projectId === SHARED ? 'gray' : undefined} size="sm" tt="none">
        {projectName(belonging, place.projectId)}
      </Badge>
      {others && (
        <Tooltip label={t('Shared with {others}', { others })}>
          <Badge variant="outline" size="sm" leftSection={<IconShare size={10} aria-hidden="true" />}>
            <span aria-hidden="true">{place.sharedWith.length}</span>
            <VisuallyHidden>{t('Shared with {others}', { others })}</VisuallyHidden>
          </Badge>
        </Tooltip>
      )}
    </Group>
  );
}

/** The column of a list of things; none while nobody uses projects. */
export function projectColumns<Row extends { id: string }>(inUse: boolean, belonging: Belonging): Column<Row>[] {
  return projectColumnsBy(({ id }: Row) => id, inUse, belonging);
}

/** The same of things that are named otherwise. */
export function projectColumnsBy<Row>(idOf: (row: Row) => string, inUse: boolean, belonging: Belonging): Column<Row>[] {
  if (!inUse) return [];
  const render = (row: Row) => <ProjectBadge id={idOf(row)} belonging={belonging} />;
  return [{ key: 'project', title: t('Project'), render }];
}
