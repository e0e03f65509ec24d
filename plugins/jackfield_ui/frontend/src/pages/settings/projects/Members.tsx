import { ActionIcon, Autocomplete, Select, Stack, Tooltip } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, body } from '../../../api/client';
import type { Schemas } from '../../../api/types';
import { useMay, useSession } from '../../../app/session';
import { confirm } from '../../../components/confirm';
import type { Column } from '../../../components/DataTable';
import { Modal } from '../../../components/Modal';
import { notifyError } from '../../../components/notify';
import { ofProject, type Project, type ProjectRole, SHARED } from '../../../components/projects/queries';
import { useSending } from '../../../components/useSending';
import { IconUserMinus, IconUsers } from '../../../icons/drawn';
import { sentences, t } from '../../../language/messages';
import { Buttons, Unexplained } from '../FormParts';
import { ListSection } from '../ListSection';
import { ROLE_WORDS, ROLES, useRereadProjects } from './model';

type Member = Schemas['MemberShown'];

const MEMBERS = '/api/v1/projects/{project_id}/members';
const MEMBER = '/api/v1/projects/{project_id}/members/{user_id}';
const ofMember = (project: string, user: string) => ({ params: { path: { project_id: project, user_id: user } } });

/** Who is in a project. */
export function Members({ project }: { project: Project }) {
  const admin = useMay('admin');
  const me = useSession().info?.user?.id;
  const [adding, setAdding] = useState(false);
  const list = useQuery({
    queryKey: ['projects', project.id, 'members'],
    queryFn: ({ signal }) => body(api.GET(MEMBERS, { ...ofProject(project.id), signal })),
  });
  const leads = admin || (project.role === 'project:admin' && project.id !== SHARED);
  const changeable = leads && project.kind === 'team';
  return (
    <ListSection
      title={t('Members')}
      about={aboutOf(project)}
      icon={IconUsers}
      none={t('No members')}
      hint={t('Add members, so that not only administrators see the project.')}
      add={t('Add a member')}
      onAdd={changeable ? () => setAdding(true) : undefined}
      columns={columnsWith(project, changeable && !project.isOpen, me)}
      rows={list.data?.data}
      rowKey={({ userId }) => userId}
      error={list.error}
      onRetry={() => void list.refetch()}
      {...(changeable && !project.isOpen
        ? { rowActions: (member: Member) => <Remove project={project} member={member} me={member.userId === me} /> }
        : {})}
    >
      {adding && <AddMember project={project} onClose={() => setAdding(false)} />}
    </ListSection>
  );
}

function aboutOf({ kind, isOpen }: Project): string {
  if (kind === 'personal')
    return t('A personal project has only one member: its user. Share what belongs to it instead.');
  if (isOpen)
    return t('Every user is in it while it is open. A member that you add by name keeps the role that you choose.');
  return t('Viewers see everything but secrets, editors also change and run it, administrators also name members.');
}

function columnsWith(project: Project, changeable: boolean, me: string | undefined): Column<Member>[] {
  return [
    {
      key: 'name',
      title: t('Name'),
      primary: true,
      sort: ({ username }) => username,
      render: ({ userId, username }) => `${username}${userId === me ? ` ${t('(you)')}` : ''}`,
    },
    {
      key: 'role',
      title: t('Role'),
      render: (member) => (changeable ? <Role project={project} member={member} /> : ROLE_WORDS[member.role]),
    },
  ];
}

function Role({ project, member: { userId, username, role } }: { project: Project; member: Member }) {
  const reread = useRereadProjects();
  const { mutate, isPending } = useMutation({
    mutationFn: (next: ProjectRole) => body(api.PUT(MEMBER, { ...ofMember(project.id, userId), body: { role: next } })),
    onSuccess: reread,
    onError: (error) => notifyError(error, t('The role of “{username}” cannot be changed', { username })),
  });
  return (
    <Select
      aria-label={t('Role of {username}', { username })}
      data={ROLES}
      value={role}
      disabled={isPending}
      allowDeselect={false}
      onChange={(next) => {
        const wanted = ROLES.find(({ value }) => value === next)?.value;
        if (wanted && wanted !== role) mutate(wanted);
      }}
      size="xs"
      w={230}
      maw="100%"
    />
  );
}

function Remove({ project, member: { userId, username }, me }: { project: Project; member: Member; me: boolean }) {
  const reread = useRereadProjects();
  const { mutate } = useMutation({
    mutationFn: () => api.DELETE(MEMBER, ofMember(project.id, userId)),
    onSuccess: reread,
    onError: (error) => notifyError(error, t('“{username}” cannot be removed', { username })),
  });
  const ask = async () => {
    const body = sentences(
      t('Live workflows of the project go on.'),
      me && t('This is you: you no longer see the project.'),
    );
    if (
      await confirm({
        title: t('Remove “{username}” from “{name}”?', { username, name: project.name }),
        body,
        action: t('Remove'),
      })
    )
      mutate();
  };
  return (
    <Tooltip label={t('Remove')}>
      <ActionIcon aria-label={t('Remove {username}', { username })} onClick={() => void ask()}>
        <IconUserMinus size={16} />
      </ActionIcon>
    </Tooltip>
  );
}

function AddMember({ project, onClose }: { project: Project; onClose: () => void }) {
  const reread = useRereadProjects();
  const admin = useMay('admin');
  const users = useQuery({
    queryKey: ['users', 'people'],
    queryFn: ({ signal }) => body(api.GET('/api/v1/users', { params: { query: { limit: 100 } }, signal })),
    enabled: admin,
  });
  const { form, error, busy, submit } = useSending({
    initial: { name: '', role: 'project:editor' as ProjectRole },
    validate: { name: (name) => (name.trim() ? null : t('Enter the name of a user.')) },
    send: ({ name, role }) => body(api.PUT(MEMBER, { ...ofMember(project.id, name.trim()), body: { role } })),
    onSent: () => {
      reread();
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title={t('Add a member to “{name}”', { name: project.name })}>
      <form onSubmit={submit}>
        <Stack>
          <Unexplained error={error} />
          <Autocomplete
            label={t('User name')}
            data={(users.data?.data ?? []).map(({ username }) => username)}
            autoComplete="off"
            data-autofocus
            {...form.getInputProps('name')}
          />
          <Select label={t('Role')} data={ROLES} allowDeselect={false} {...form.getInputProps('role')} />
          <Buttons action={t('Add')} busy={busy} onClose={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
