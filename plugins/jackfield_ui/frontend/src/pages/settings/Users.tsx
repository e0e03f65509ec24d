import { ActionIcon, Menu, PasswordInput, Select, Stack, TextInput } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
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
import {
  IconDotsVertical,
  IconKey,
  IconLink,
  IconLogout,
  IconMail,
  IconShieldX,
  IconTrash,
  IconUserCheck,
  IconUserOff,
  IconUsers,
} from '../../icons/drawn';
import { sentences, t } from '../../language/messages';
import { Buttons, MailField, Unexplained } from './FormParts';
import { Invitations, LinkOnce } from './Invitations';
import { ListSection } from './ListSection';
import { TestMail } from './TestMail';
import { useNew } from './useNew';

type User = Schemas['UserRow'];

type Role = User['role'];

const PATH = '/api/v1/users';
const ONE = '/api/v1/users/{user_id}';
const ofUser = ({ id }: User) => ({ params: { path: { user_id: id } } });
const ROLES: { value: Role; label: string }[] = [
  { value: 'viewer', label: t('Viewer: reads') },
  { value: 'member', label: t('Member: changes and runs') },
  { value: 'admin', label: t('Administrator') },
];

/** The question before a user gets a role. */
const MAKE: Record<Role, (username: string) => string> = {
  viewer: (username) => t('Make “{username}” viewer?', { username }),
  member: (username) => t('Make “{username}” member?', { username }),
  admin: (username) => t('Make “{username}” administrator?', { username }),
};

export function Users() {
  const may = useMay('admin');
  if (!may) {
    return (
      <EmptyState icon={IconUsers} title={t('Only administrators manage users')}>
        {t('Ask an administrator to add somebody, or to change a role or a password.')}
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
      <TestMail />
    </Stack>
  );
}

function UserList() {
  const [adding, setAdding] = useNew();
  const [changing, setChanging] = useState<User>();
  const [mailing, setMailing] = useState<User>();
  const [address, setAddress] = useState<string>();
  const me = useSession().info?.user?.id;
  const list = usePaged(['users'], (query, signal) => body(api.GET(PATH, { params: { query }, signal })), 100);
  return (
    <ListSection
      title={t('Users')}
      about={t(
        'Users can log in from other machines. The person who runs Jackfield on this computer needs no account.',
      )}
      icon={IconUsers}
      none={t('No users')}
      hint={t('Add one to log in from another computer.')}
      add={t('Add a user')}
      onAdd={() => setAdding(true)}
      columns={columnsWith(me)}
      rows={list.rows}
      rowKey={({ id }) => id}
      error={list.error}
      onRetry={() => void list.refetch()}
      paging={list.paging}
      rowActions={(user) => (
        <Actions
          user={user}
          me={user.id === me}
          onPassword={() => setChanging(user)}
          onMail={() => setMailing(user)}
          onLink={setAddress}
        />
      )}
    >
      {adding && <NewUser onClose={() => setAdding(false)} />}
      {address && <LinkOnce address={address} onClose={() => setAddress(undefined)} />}
      {changing && <NewPassword user={changing} onClose={() => setChanging(undefined)} />}
      {mailing && <NewMail user={mailing} onClose={() => setMailing(undefined)} />}
    </ListSection>
  );
}

function columnsWith(me: string | undefined): Column<User>[] {
  return [
    {
      key: 'name',
      title: t('Name'),
      primary: true,
      sort: ({ username }) => username,
      render: ({ id, username, disabled }) =>
        `${username}${id === me ? ` ${t('(you)')}` : ''}${disabled ? ` ${t('(disabled)')}` : ''}`,
    },
    { key: 'mail', title: t('Mail address'), render: ({ mail }) => mail ?? '' },
    { key: 'role', title: t('Role'), render: (user) => <Role user={user} /> },
    {
      key: 'created',
      title: t('Added'),
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
      notifyDone(t('The role of “{username}” is changed. Their sessions have ended.', { username: user.username }));
    },
    onError: (error) => notifyError(error, t('The role cannot be changed')),
  });
  const ask = async (chosen: string | null) => {
    const role = ROLES.find(({ value }) => value === chosen)?.value;
    if (!role || role === user.role) return;
    const title = MAKE[role](user.username);
    if (
      await confirm({ title, body: t('Their sessions and tokens end.'), action: t('Change the role'), danger: false })
    )
      mutate(role);
  };
  return (
    <Select
      aria-label={t('Role of {username}', { username: user.username })}
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
  onMail,
  onLink,
}: {
  user: User;
  me: boolean;
  onPassword: () => void;
  onMail: () => void;
  onLink: (address: string) => void;
}) {
  const reread = useReread();
  const { mutate } = useMutation({
    mutationFn: () => api.DELETE(ONE, ofUser(user)),
    onSuccess: reread,
    onError: (error) => notifyError(error, t('“{username}” cannot be deleted', { username: user.username })),
  });
  const switching = useMutation({
    mutationFn: () => body(api.PATCH(ONE, { ...ofUser(user), body: { disabled: !user.disabled } })),
    onSuccess: reread,
    onError: (error) => notifyError(error, t('“{username}” cannot be changed', { username: user.username })),
  });
  const askToSwitch = async () => {
    const body = sentences(
      t('Their sessions and tokens end. Their API keys do not work until you enable the user again.'),
      me && t('This is you: you are logged out.'),
    );
    if (
      user.disabled ||
      (await confirm({
        title: t('Disable the user “{username}”?', { username: user.username }),
        body,
        action: t('Disable'),
      }))
    )
      switching.mutate();
  };
  const ask = async () => {
    const body = sentences(
      t('Their API keys are deleted and their sessions end.'),
      me && t('This is you: you are logged out.'),
    );
    if (
      await confirm({
        title: t('Delete the user “{username}”?', { username: user.username }),
        body,
        action: t('Delete'),
        typed: user.username,
      })
    )
      mutate();
  };
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon aria-label={t('Actions for {username}', { username: user.username })}>
          <IconDotsVertical size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {!user.provider && (
          <Menu.Item leftSection={<IconKey size={16} />} onClick={onPassword}>
            {t('Set a new password')}
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconMail size={16} />} onClick={onMail}>
          {t('Set the mail address')}
        </Menu.Item>
        <AccountItems user={user} onLink={onLink} />
        <Menu.Item
          leftSection={user.disabled ? <IconUserCheck size={16} /> : <IconUserOff size={16} />}
          onClick={() => void askToSwitch()}
        >
          {user.disabled ? t('Enable') : t('Disable')}
        </Menu.Item>
        <Menu.Item c="var(--mantine-color-error)" leftSection={<IconTrash size={16} />} onClick={() => void ask()}>
          {t('Delete')}
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
    onError: (error) => notifyError(error, t('There is no link')),
  });
  const reset = useMutation({
    mutationFn: () => api.DELETE('/api/v1/users/{user_id}/factors', ofUser(user)),
    onSuccess: () => notifyDone(t('“{username}” has no second factor any more.', { username: user.username })),
    onError: (error) => notifyError(error, t('The second factors cannot be reset')),
  });
  const end = useMutation({
    mutationFn: () => body(api.DELETE('/api/v1/users/{user_id}/sessions', ofUser(user))),
    onSuccess: () => notifyDone(t('The sessions and tokens of “{username}” have ended.', { username: user.username })),
    onError: (error) => notifyError(error, t('The sessions cannot be ended')),
  });
  const askToReset = async () => {
    const text = t('Their authenticator app, passkeys and recovery codes are removed, and their sessions end.');
    if (
      await confirm({
        title: t('Reset the second factors of “{username}”?', { username: user.username }),
        body: text,
        action: t('Reset'),
      })
    )
      reset.mutate();
  };
  const askToEnd = async () => {
    const text = t('Their tokens end too. API keys stay.');
    if (
      await confirm({
        title: t('End all sessions of “{username}”?', { username: user.username }),
        body: text,
        action: t('End them'),
      })
    )
      end.mutate();
  };
  return (
    <>
      {!user.provider && (
        <Menu.Item leftSection={<IconLink size={16} />} onClick={() => link.mutate()}>
          {t('Create a link for a new password')}
        </Menu.Item>
      )}
      <Menu.Item leftSection={<IconShieldX size={16} />} onClick={() => void askToReset()}>
        {t('Reset the second factors')}
      </Menu.Item>
      <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void askToEnd()}>
        {t('End all sessions')}
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
    <Modal opened onClose={onClose} title={t('Add a user')}>
      <form onSubmit={submit}>
        <Stack>
          <Unexplained error={error} />
          <TextInput
            label={t('User name')}
            autoComplete="off"
            required
            data-autofocus
            {...form.getInputProps('username')}
          />
          <PasswordField {...form.getInputProps('password')} />
          <Select label={t('Role')} data={ROLES} allowDeselect={false} {...form.getInputProps('role')} />
          <Buttons action={t('Add the user')} busy={busy} onClose={onClose} />
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
      notifyDone(t('“{username}” has a new password. Their sessions have ended.', { username: user.username }));
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title={t('New password for “{username}”', { username: user.username })}>
      <form onSubmit={submit}>
        <Stack>
          <Unexplained error={error} />
          <PasswordField {...form.getInputProps('password')} />
          <Buttons action={t('Set the password')} busy={busy} onClose={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}

function NewMail({ user, onClose }: { user: User; onClose: () => void }) {
  const reread = useReread();
  const { form, error, busy, submit } = useSending({
    initial: { mail: user.mail ?? '' },
    send: (filled) => body(api.PATCH(ONE, { ...ofUser(user), body: filled })),
    onSent: () => {
      reread();
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title={t('Mail address of “{username}”', { username: user.username })}>
      <form onSubmit={submit}>
        <Stack>
          <Unexplained error={error} />
          <MailField data-autofocus {...form.getInputProps('mail')} />
          <Buttons action={t('Set the address')} busy={busy} onClose={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}

function PasswordField(props: GetInputPropsReturnType) {
  return (
    <PasswordInput
      label={t('Password')}
      description={t('At least 12 characters')}
      autoComplete="new-password"
      required
      {...props}
    />
  );
}
