import { ActionIcon, Menu, PasswordInput, Select, Stack, TextInput } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import {
  IconDotsVertical,
  IconKey,
  IconLink,
  IconLogout,
  IconShieldX,
  IconTrash,
  IconUserCheck,
  IconUserOff,
  IconUsers,
} from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, body } from '../../api/client';
import { usePaged } from '../../api/paging';
import type { Schemas } from '../../api/types';
import { useMay, useSession } from '../../app/session';
import { confirm } from '../../components/confirm';
import type { Column } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { Modal } from '../../components/Modal';
import { notifyDone, notifyError } from '../../components/notify';
import { useSending } from '../../components/useSending';
import { RelativeTime } from '../../components/values';
import { Buttons, Unexplained } from './FormParts';
import { Invitations, LinkOnce } from './Invitations';
import { ListSection } from './ListSection';
import { useNew } from './useNew';

type User = Schemas['UserRow'];

type Role = User['role'];

const PATH = '/api/v1/users';
const ONE = '/api/v1/users/{user_id}';
const ofUser = ({ id }: User) => ({ params: { path: { user_id: id } } });
const ROLES: { value: Role; label: string }[] = [
  { value: 'viewer', label: 'Viewer: reads' },
  { value: 'member', label: 'Member: changes and runs' },
  { value: 'admin', label: 'Administrator' },
];

export function Users() {
  const may = useMay('admin');
  if (!may) {
    return (
      <EmptyState icon={IconUsers} title="Users are an administrator’s matter">
        Ask an administrator to add somebody, or to change a role or a password.
      </EmptyState>
    );
  }
  return <UsersAndInvitations />;
}

function UsersAndInvitations() {
  return (
    <Stack gap="xl">
      <UserList />
      <Invitations />
    </Stack>
  );
}

function UserList() {
  const [adding, setAdding] = useNew();
  const [changing, setChanging] = useState<User>();
  const [address, setAddress] = useState<string>();
  const me = useSession().info?.user?.id;
  const list = usePaged(['users'], (query, signal) => body(api.GET(PATH, { params: { query }, signal })), 100);
  return (
    <ListSection
      title="Users"
      about="Users can log in from other machines. Whoever runs Jackfield on this computer needs no account."
      icon={IconUsers}
      none="No users"
      hint="Add one to log in from another computer."
      add="Add a user"
      onAdd={() => setAdding(true)}
      columns={columnsWith(me)}
      rows={list.rows}
      rowKey={({ id }) => id}
      error={list.error}
      onRetry={() => void list.refetch()}
      paging={list.paging}
      rowActions={(user) => (
        <Actions user={user} me={user.id === me} onPassword={() => setChanging(user)} onLink={setAddress} />
      )}
    >
      {adding && <NewUser onClose={() => setAdding(false)} />}
      {address && <LinkOnce address={address} onClose={() => setAddress(undefined)} />}
      {changing && <NewPassword user={changing} onClose={() => setChanging(undefined)} />}
    </ListSection>
  );
}

function columnsWith(me: string | undefined): Column<User>[] {
  return [
    {
      key: 'name',
      title: 'Name',
      primary: true,
      sort: ({ username }) => username,
      render: ({ id, username, disabled }) => `${username}${id === me ? ' (you)' : ''}${disabled ? ' (disabled)' : ''}`,
    },
    { key: 'role', title: 'Role', render: (user) => <Role user={user} /> },
    {
      key: 'created',
      title: 'Added',
      sort: ({ createdAt }) => createdAt,
      render: ({ createdAt }) => <RelativeTime time={createdAt} />,
    },
  ];
}

function useReread() {
  const client = useQueryClient();
  return () => void client.invalidateQueries({ queryKey: ['users'] });
}

function Role({ user }: { user: User }) {
  const reread = useReread();
  const { mutate, isPending } = useMutation({
    mutationFn: (role: Role) => body(api.PATCH(ONE, { ...ofUser(user), body: { role } })),
    onSuccess: () => {
      reread();
      notifyDone(`The role of “${user.username}” is changed. Their sessions have ended.`);
    },
    onError: (error) => notifyError(error, 'The role cannot be changed'),
  });
  const ask = async (chosen: string | null) => {
    const role = ROLES.find(({ value }) => value === chosen)?.value;
    if (!role || role === user.role) return;
    const title = `Make “${user.username}” ${
      ROLES.find(({ value }) => value === role)
        ?.label.toLowerCase()
        .split(':')[0]
    }?`;
    if (await confirm({ title, body: 'Their sessions and tokens end.', action: 'Change the role', danger: false }))
      mutate(role);
  };
  return (
    <Select
      aria-label={`Role of ${user.username}`}
      data={ROLES}
      value={user.role}
      disabled={isPending || Boolean(user.provider)}
      allowDeselect={false}
      onChange={(role) => void ask(role)}
      size="xs"
      w={210}
    />
  );
}

function Actions({
  user,
  me,
  onPassword,
  onLink,
}: {
  user: User;
  me: boolean;
  onPassword: () => void;
  onLink: (address: string) => void;
}) {
  const reread = useReread();
  const { mutate } = useMutation({
    mutationFn: () => api.DELETE(ONE, ofUser(user)),
    onSuccess: reread,
    onError: (error) => notifyError(error, `“${user.username}” cannot be deleted`),
  });
  const switching = useMutation({
    mutationFn: () => body(api.PATCH(ONE, { ...ofUser(user), body: { disabled: !user.disabled } })),
    onSuccess: reread,
    onError: (error) => notifyError(error, `“${user.username}” cannot be changed`),
  });
  const askToSwitch = async () => {
    const body = `Their sessions and tokens end, and their API keys rest.${me ? ' This is you: you are logged out.' : ''}`;
    if (user.disabled || (await confirm({ title: `Disable the user “${user.username}”?`, body, action: 'Disable' })))
      switching.mutate();
  };
  const ask = async () => {
    const body = `Their API keys are deleted and their sessions end.${me ? ' This is you: you are logged out.' : ''}`;
    if (await confirm({ title: `Delete the user “${user.username}”?`, body, action: 'Delete', typed: user.username }))
      mutate();
  };
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon aria-label={`Actions for ${user.username}`}>
          <IconDotsVertical size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {!user.provider && (
          <Menu.Item leftSection={<IconKey size={16} />} onClick={onPassword}>
            Set a new password
          </Menu.Item>
        )}
        <AccountItems user={user} onLink={onLink} />
        <Menu.Item
          leftSection={user.disabled ? <IconUserCheck size={16} /> : <IconUserOff size={16} />}
          onClick={() => void askToSwitch()}
        >
          {user.disabled ? 'Enable' : 'Disable'}
        </Menu.Item>
        <Menu.Item c="var(--mantine-color-error)" leftSection={<IconTrash size={16} />} onClick={() => void ask()}>
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** What helps a user who has lost something, or whose device was lost. */
function AccountItems({ user, onLink }: { user: User; onLink: (address: string) => void }) {
  const client = useQueryClient();
  const link = useMutation({
    mutationFn: () => body(api.POST('/api/v1/users/{user_id}/reset-link', ofUser(user))),
    onSuccess: (made) => {
      onLink(made.address);
      void client.invalidateQueries({ queryKey: ['invitations'] });
    },
    onError: (error) => notifyError(error, 'There is no link'),
  });
  const reset = useMutation({
    mutationFn: () => api.DELETE('/api/v1/users/{user_id}/factors', ofUser(user)),
    onSuccess: () => notifyDone(`“${user.username}” has no second factor any more.`),
    onError: (error) => notifyError(error, 'The second factors cannot be reset'),
  });
  const end = useMutation({
    mutationFn: () => body(api.DELETE('/api/v1/users/{user_id}/sessions', ofUser(user))),
    onSuccess: () => notifyDone(`The sessions and tokens of “${user.username}” have ended.`),
    onError: (error) => notifyError(error, 'The sessions cannot be ended'),
  });
  const askToReset = async () => {
    const text = 'Their authenticator app, passkeys and recovery codes are removed, and their sessions end.';
    if (await confirm({ title: `Reset the second factors of “${user.username}”?`, body: text, action: 'Reset' }))
      reset.mutate();
  };
  const askToEnd = async () => {
    const text = 'Their tokens end too. API keys stay.';
    if (await confirm({ title: `End all sessions of “${user.username}”?`, body: text, action: 'End them' }))
      end.mutate();
  };
  return (
    <>
      {!user.provider && (
        <Menu.Item leftSection={<IconLink size={16} />} onClick={() => link.mutate()}>
          Make a link for a new password
        </Menu.Item>
      )}
      <Menu.Item leftSection={<IconShieldX size={16} />} onClick={() => void askToReset()}>
        Reset the second factors
      </Menu.Item>
      <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void askToEnd()}>
        End all sessions
      </Menu.Item>
    </>
  );
}

function NewUser({ onClose }: { onClose: () => void }) {
  const reread = useReread();
  const { form, error, busy, submit } = useSending({
    initial: { username: '', password: '', role: 'member' as Role },
    send: (filled) => body(api.POST(PATH, { body: filled })),
    onSent: () => {
      reread();
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title="Add a user">
      <form onSubmit={submit}>
        <Stack>
          <Unexplained error={error} />
          <TextInput label="User name" autoComplete="off" required data-autofocus {...form.getInputProps('username')} />
          <PasswordField {...form.getInputProps('password')} />
          <Select label="Role" data={ROLES} allowDeselect={false} {...form.getInputProps('role')} />
          <Buttons action="Add the user" busy={busy} onClose={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}

function NewPassword({ user, onClose }: { user: User; onClose: () => void }) {
  const { form, error, busy, submit } = useSending({
    initial: { password: '' },
    send: (filled) => body(api.PATCH(ONE, { ...ofUser(user), body: filled })),
    onSent: () => {
      notifyDone(`“${user.username}” has a new password. Their sessions have ended.`);
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title={`New password for “${user.username}”`}>
      <form onSubmit={submit}>
        <Stack>
          <Unexplained error={error} />
          <PasswordField {...form.getInputProps('password')} />
          <Buttons action="Set the password" busy={busy} onClose={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}

function PasswordField(props: GetInputPropsReturnType) {
  return (
    <PasswordInput
      label="Password"
      description="At least 12 characters"
      autoComplete="new-password"
      required
      {...props}
    />
  );
}
