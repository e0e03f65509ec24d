import { Anchor, Badge, Group } from '@mantine/core';
import { Link, useNavigate } from 'react-router';
import { api, body } from '../../../api/client';
import { session, useMay } from '../../../app/session';
import type { Column } from '../../../components/DataTable';
import { PROJECTS, type Project, SHARED, useProjects } from '../../../components/projects/queries';
import { TextDialog } from '../../../components/TextDialog';
import { RelativeTime } from '../../../components/values';
import { IconFolders } from '../../../icons/drawn';
import { t } from '../../../language/messages';
import { ListSection } from '../ListSection';
import { useNew } from '../useNew';
import { KINDS, projectPath, ROLE_WORDS, useRereadProjects } from './model';

/** The user's projects. */
export function Projects() {
  const navigate = useNavigate();
  const admin = useMay('admin');
  const [adding, setAdding] = useNew();
  const reread = useRereadProjects();
  const list = useProjects();
  return (
    <ListSection
      title={t('Projects')}
      about={t('A project says who may see, change and use workflows, credentials, variables and data tables.')}
      icon={IconFolders}
      none={t('No projects')}
      hint={t('An administrator creates a project and adds you to it.')}
      add={t('New project')}
      onAdd={admin ? () => setAdding(true) : undefined}
      columns={COLUMNS}
      rows={list.data}
      rowKey={({ id }) => id}
      error={list.error}
      onRetry={() => void list.refetch()}
      onOpen={(project) => void navigate(projectPath(project.id))}
    >
      {admin && adding && (
        <TextDialog
          question={{
            title: t('New project'),
            label: t('Name'),
            description: t('Then you add its members.'),
            maxLength: 128,
            action: t('Create'),
            run: async (name) => {
              const { id } = await body(api.POST(PROJECTS, { body: { name } }));
              // From the first project on, the session says that there are some.
              await session.renew();
              reread();
              void navigate(projectPath(id));
            },
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </ListSection>
  );
}

const COLUMNS: Column<Project>[] = [
  {
    key: 'name',
    title: t('Name'),
    primary: true,
    sort: ({ name }) => name,
    render: ({ id, name }) => (
      <Anchor component={Link} to={projectPath(id)} c="inherit" inherit style={{ overflowWrap: 'anywhere' }}>
        {name}
      </Anchor>
    ),
  },
  { key: 'kind', title: t('Kind'), render: (project) => <Kind project={project} /> },
  { key: 'role', title: t('Your role'), render: ({ role }) => (role ? ROLE_WORDS[role] : '–') },
  {
    key: 'changed',
    title: t('Changed'),
    render: ({ id, updatedAt }) => id !== SHARED && <RelativeTime time={updatedAt} />,
  },
];

export function Kind({ project: { id, kind, isOpen } }: { project: Project }) {
  const shared = id === SHARED;
  return (
    <Group gap={4}>
      <Badge variant="light" color="gray" size="sm" tt="none">
        {KINDS[shared ? 'shared' : kind]}
      </Badge>
      {shared && (
        <Badge variant="outline" size="sm" tt="none">
          {isOpen ? t('Open to everybody') : t('Closed')}
        </Badge>
      )}
    </Group>
  );
}
