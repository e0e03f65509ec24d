import { Select } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useNavigate } from 'react-router';
import { chosenProject, useChosenProject } from '../api/project';
import { useProjects } from '../components/projects/queries';
import { t } from '../language/messages';
import { areaPath } from './areas';
import classes from './shell.module.css';

const ALL = 'all';
const MANAGE = 'manage';

/** The project that lists show. Things of other projects still open by their links. */
export default function ProjectSwitcher() {
  const navigate = useNavigate();
  const client = useQueryClient();
  const chosen = useChosenProject();
  const { data: projects } = useProjects();
  const gone = chosen !== '' && projects !== undefined && !projects.some(({ id }) => id === chosen);
  const choose = (id: string) => {
    chosenProject.choose(id);
    // Rows of the other project would stand there until the answer comes.
    void client.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'projects' });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each project that has gone
  useEffect(() => {
    if (gone) choose('');
  }, [gone]);
  if (!projects) return null;
  return (
    <Select
      className={classes.projects ?? ''}
      aria-label={t('Project')}
      data={[
        { value: ALL, label: t('All projects') },
        ...projects.map(({ id, name }) => ({ value: id, label: name })),
        { value: MANAGE, label: t('Manage projects…') },
      ]}
      value={gone || !chosen ? ALL : chosen}
      onChange={(next) => {
        if (next === MANAGE) void navigate(`${areaPath('settings')}/projects`);
        else choose(next === ALL || next === null ? '' : next);
      }}
      allowDeselect={false}
      searchable={projects.length > 8}
      comboboxProps={{ withinPortal: true }}
      checkIconPosition="right"
    />
  );
}
