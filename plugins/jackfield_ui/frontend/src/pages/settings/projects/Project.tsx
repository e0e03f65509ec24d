import { ActionIcon, Button, Menu, Skeleton, Switch } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { api, body } from '../../../api/client';
import { chosenProject, useChosenProject } from '../../../api/project';
import type { Schemas } from '../../../api/types';
import { areaPath } from '../../../app/areas';
import { session, useMay } from '../../../app/session';
import { Failure } from '../../../components/Failure';
import { notifyDone, notifyError } from '../../../components/notify';
import { Page } from '../../../components/Page';
import { ofProject, PROJECT, SHARED } from '../../../components/projects/queries';
import { TextDialog } from '../../../components/TextDialog';
import { IconDotsVertical, IconPencil, IconTrash } from '../../../icons/drawn';
import { t } from '../../../language/messages';
import { DeleteProject } from './DeleteProject';
import { Kind } from './index';
import { Members } from './Members';
import { heldWords, useRereadProjects } from './model';

type Whole = Schemas['ProjectWhole'];

const LIST = `${areaPath('settings')}/projects`;

/** One project: its members, how much it has, and what may be done to it. */
export default function ProjectPage() {
  const { project = '' } = useParams();
  const { data, error, refetch } = useQuery({
    queryKey: ['projects', project, 'whole'],
    queryFn: ({ signal }) => body(api.GET(PROJECT, { ...ofProject(project), signal })),
    placeholderData: undefined,
  });
  return (
    <Page
      title={data?.name ?? t('Project')}
      badge={data && <Kind project={data} />}
      subtitle={data && aboutOf(data)}
      crumbs={[
        { label: t('Settings'), to: areaPath('settings') },
        { label: t('Projects'), to: LIST },
      ]}
      actions={data && <Actions project={data} />}
    >
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!error && !data && <Skeleton height={160} />}
      {data && <Body project={data} />}
    </Page>
  );
}

function aboutOf({ id, holds, kind }: Whole): string {
  if (id === SHARED) return t('It contains everything that belongs to no other project.');
  const held = heldWords(holds);
  if (held) return t('It contains {held}.', { held });
  return kind === 'personal' ? t('Only its user is a member. It is empty.') : t('It is empty.');
}

function Body({ project }: { project: Whole }) {
  return (
    <>
      {project.id === SHARED && <OpenSwitch project={project} />}
      <Members project={project} />
    </>
  );
}

function OpenSwitch({ project: { isOpen } }: { project: Whole }) {
  const admin = useMay('admin');
  const reread = useRereadProjects();
  const { mutate, isPending } = useMutation({
    mutationFn: (open: boolean) => body(api.PATCH(PROJECT, { ...ofProject(SHARED), body: { isOpen: open } })),
    onSuccess: async () => {
      await session.renew();
      reread();
    },
    onError: (error) => notifyError(error, t('The project cannot be changed')),
  });
  return (
    <Switch
      mb="lg"
      label={t('Open to everybody')}
      description={t('While it is open, every user is in it, with the role that the user has.')}
      checked={isOpen}
      disabled={!admin || isPending}
      onChange={(event) => mutate(event.currentTarget.checked)}
    />
  );
}

function Actions({ project }: { project: Whole }) {
  const navigate = useNavigate();
  const admin = useMay('admin');
  const chosen = useChosenProject();
  const reread = useRereadProjects();
  const [open, setOpen] = useState<'rename' | 'delete'>();
  const { id, name, kind, role } = project;
  const leads = admin || role === 'project:admin';
  const changeable = leads && kind === 'team' && (id !== SHARED || admin);
  const show = () => {
    chosenProject.choose(id);
    void navigate(areaPath('workflows'));
  };
  return (
    <>
      {chosen !== id && (
        <Button variant="default" onClick={show}>
          {t('Show only this project')}
        </Button>
      )}
      {changeable && (
        <Menu>
          <Menu.Target>
            <ActionIcon variant="default" size="lg" aria-label={t('Actions for {name}', { name })}>
              <IconDotsVertical size={18} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => setOpen('rename')}>
              {t('Rename')}
            </Menu.Item>
            {admin && id !== SHARED && (
              <Menu.Item
                c="var(--mantine-color-error)"
                leftSection={<IconTrash size={16} />}
                onClick={() => setOpen('delete')}
              >
                {t('Delete')}
              </Menu.Item>
            )}
          </Menu.Dropdown>
        </Menu>
      )}
      {open === 'rename' && (
        <TextDialog
          question={{
            title: t('Rename “{name}”', { name }),
            label: t('Name'),
            initial: name,
            maxLength: 128,
            action: t('Rename'),
            run: async (next) => {
              await body(api.PATCH(PROJECT, { ...ofProject(id), body: { name: next } }));
              reread();
            },
          }}
          onClose={() => setOpen(undefined)}
        />
      )}
      {open === 'delete' && (
        <DeleteProject
          project={project}
          onDeleted={() => {
            if (chosenProject.now() === id) chosenProject.choose('');
            notifyDone(t('The project “{name}” is deleted.', { name }));
            void navigate(LIST, { replace: true });
            reread();
          }}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}
