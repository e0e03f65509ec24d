import { ActionIcon, Alert, Group, Select, Stack, Text, TextInput, Tooltip } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, body } from '../../api/client';
import type { Schemas } from '../../api/types';
import { CopyIcon } from '../../components/Copyable';
import { confirm } from '../../components/confirm';
import type { Column } from '../../components/DataTable';
import { Modal } from '../../components/Modal';
import { notifyDone, notifyError } from '../../components/notify';
import { useSending } from '../../components/useSending';
import { RelativeTime } from '../../components/values';
import { IconMailPlus, IconTrash } from '../../icons/drawn';
import { t } from '../../language/messages';
import { Buttons, Unexplained } from './FormParts';
import { ListSection } from './ListSection';
import classes from './settings.module.css';

type Link = Schemas['LinkView'];
type Made = Schemas['NewLinkView'];
type Role = NonNullable<Link['role']>;

const PATH = '/api/v1/invitations';
const KEY = ['invitations'];
const ROLES: { value: Role; label: string }[] = [
  { value: 'viewer', label: t('Viewer: reads') },
  { value: 'member', label: t('Member: changes and runs') },
  { value: 'admin', label: t('Administrator') },
];
const PURPOSES: Record<Link['purpose'], string> = { invitation: t('Invitation'), reset: t('New password') };

const COLUMNS: Column<Link>[] = [
  { key: 'label', title: t('For'), primary: true, render: ({ label }) => label || t('somebody') },
  { key: 'purpose', title: t('Link'), render: ({ purpose }) => PURPOSES[purpose] },
  { key: 'role', title: t('Role'), render: ({ role }) => ROLES.find(({ value }) => value === role)?.label ?? '' },
  { key: 'ends', title: t('Ends'), render: ({ expiresAt }) => <RelativeTime time={expiresAt} /> },
];

/** Open links with which somebody gets an account or another password. */
export function Invitations() {
  const client = useQueryClient();
  const reread = () => void client.invalidateQueries({ queryKey: KEY });
  const [adding, setAdding] = useState(false);
  const list = useQuery({ queryKey: KEY, queryFn: ({ signal }) => body(api.GET(PATH, { signal })) });
  return (
    <ListSection
      title={t('Invitations')}
      about={t('A link makes one user, or sets another password, once. Send it yourself, unless Jackfield sends mail.')}
      icon={IconMailPlus}
      none={t('No open links')}
      hint={t('Invite somebody, who then chooses a name and a password or a passkey.')}
      add={t('Invite somebody')}
      onAdd={() => setAdding(true)}
      columns={COLUMNS}
      rows={list.data?.data}
      rowKey={({ id }) => id}
      error={list.error}
      onRetry={() => void list.refetch()}
      rowActions={(link) => <TakeBack link={link} onDone={reread} />}
    >
      {adding && (
        <Invite
          onMade={reread}
          onClose={() => {
            setAdding(false);
            reread();
          }}
        />
      )}
    </ListSection>
  );
}

function TakeBack({ link, onDone }: { link: Link; onDone: () => void }) {
  const { mutate } = useMutation({
    mutationFn: () => api.DELETE(`${PATH}/{link_id}`, { params: { path: { link_id: link.id } } }),
    onSuccess: onDone,
    onError: (error) => notifyError(error, t('The link cannot be revoked')),
  });
  const ask = async () => {
    if (await confirm({ title: t('Revoke this link?'), body: t('The link stops working.'), action: t('Revoke') }))
      mutate();
  };
  return (
    <Tooltip label={t('Revoke')}>
      <ActionIcon
        aria-label={t('Revoke the link for {label}', { label: link.label || t('somebody') })}
        onClick={() => void ask()}
      >
        <IconTrash size={16} />
      </ActionIcon>
    </Tooltip>
  );
}

function Invite({ onMade, onClose }: { onMade: () => void; onClose: () => void }) {
  const [made, setMade] = useState<Made>();
  const { form, error, busy, submit } = useSending({
    initial: { label: '', role: 'member' as Role },
    send: (filled) => body(api.POST(PATH, { body: { ...filled, projects: [] } })),
    onSent: (made) => {
      onMade();
      if (!made.mailed) return setMade(made);
      notifyDone(t('The invitation was mailed to {label}.', { label: made.label }));
      onClose();
    },
  });
  if (made) return <LinkOnce address={made.address} problem={made.mailProblem} onClose={onClose} />;
  return (
    <Modal opened onClose={onClose} title={t('Invite somebody')}>
      <form onSubmit={submit}>
        <Stack>
          <Unexplained error={error} />
          <TextInput
            label={t('For')}
            description={t(
              'A note that tells invitations apart. If it is a mail address and mail is set up, Jackfield sends the link there.',
            )}
            data-autofocus
            {...form.getInputProps('label')}
          />
          <Select label={t('Role')} data={ROLES} allowDeselect={false} {...form.getInputProps('role')} />
          <Buttons action={t('Create the link')} busy={busy} onClose={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}

/** A link that was just made, shown for the only time. */
export function LinkOnce({
  address,
  problem,
  onClose,
}: {
  address: string;
  problem?: string | null | undefined;
  onClose: () => void;
}) {
  return (
    <Modal opened onClose={onClose} title={t('Copy the link now')} closeOnClickOutside={false} closeOnEscape={false}>
      <Stack>
        {problem && (
          <Alert color="yellow" title={t('The mail was not sent')}>
            {problem}
          </Alert>
        )}
        <Text>{t('Send this link to the person it is for. You see it only now, and it works once.')}</Text>
        <Group gap="sm" wrap="nowrap" align="flex-start">
          <code className={classes.secret} data-testid="account-link">
            {address}
          </code>
          <CopyIcon text={address} label={t('the link')} />
        </Group>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            onClose();
          }}
        >
          <Buttons action={t('I have copied it')} busy={false} onClose={onClose} />
        </form>
      </Stack>
    </Modal>
  );
}
