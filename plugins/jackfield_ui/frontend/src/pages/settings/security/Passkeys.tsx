import { ActionIcon, Group, TextInput, Tooltip } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, data } from '../../../api/client';
import type { Schemas } from '../../../api/types';
import { PasskeySetup } from '../../../app/entry/PasskeySetup';
import { RecoveryCodes } from '../../../app/entry/RecoveryCodes';
import { confirm } from '../../../components/confirm';
import type { Column } from '../../../components/DataTable';
import { Modal } from '../../../components/Modal';
import { notifyError } from '../../../components/notify';
import { useSending } from '../../../components/useSending';
import { RelativeTime } from '../../../components/values';
import { IconFingerprint, IconPencil, IconTrash } from '../../../icons/drawn';
import { t } from '../../../language/messages';
import { Buttons, Unexplained } from '../FormParts';
import { ListSection } from '../ListSection';
import { useOwnFactors, usePasskeys, useReread } from './queries';

type Passkey = Schemas['PasskeyView'];

const ONE = '/api/session/passkeys/{passkey_id}';
const ofPasskey = ({ id }: Passkey) => ({ params: { path: { passkey_id: id } } });

const COLUMNS: Column<Passkey>[] = [
  { key: 'name', title: t('Name'), primary: true, sort: ({ name }) => name, render: ({ name }) => name },
  { key: 'host', title: t('Works at'), render: ({ host }) => host },
  { key: 'created', title: t('Made'), render: ({ created_at }) => <RelativeTime time={created_at} /> },
  { key: 'used', title: t('Last used'), render: ({ used_at }) => <RelativeTime time={used_at} /> },
];

export function Passkeys() {
  const found = usePasskeys();
  const fresh = useOwnFactors().data?.fresh ?? false;
  const reread = useReread();
  const [adding, setAdding] = useState(false);
  const [codes, setCodes] = useState<readonly string[]>();
  const [renaming, setRenaming] = useState<Passkey>();
  const close = () => {
    setAdding(false);
    setCodes(undefined);
    reread();
  };
  return (
    <ListSection
      title={t('Passkeys')}
      about={t('A passkey logs you in with your device’s screen lock. With a password, it is your second factor.')}
      icon={IconFingerprint}
      none={t('No passkeys')}
      hint={t('Create one on each device that you use.')}
      add={t('Create a passkey')}
      onAdd={fresh ? () => setAdding(true) : undefined}
      columns={COLUMNS}
      rows={found.data?.passkeys}
      rowKey={({ id }) => id}
      error={found.error}
      onRetry={() => void found.refetch()}
      rowActions={(passkey) => (
        <Group gap={4} wrap="nowrap">
          <Tooltip label={t('Rename')}>
            <ActionIcon aria-label={t('Rename {name}', { name: passkey.name })} onClick={() => setRenaming(passkey)}>
              <IconPencil size={16} />
            </ActionIcon>
          </Tooltip>
          <Remove passkey={passkey} disabled={!fresh} />
        </Group>
      )}
    >
      <Modal
        opened={adding || codes !== undefined}
        onClose={close}
        title={codes ? t('Recovery codes') : t('Create a passkey')}
        closeOnClickOutside={!codes}
      >
        {codes ? <RecoveryCodes codes={codes} onDone={close} /> : <PasskeySetup onDone={setCodes} />}
      </Modal>
      {renaming && <Rename passkey={renaming} onClose={() => setRenaming(undefined)} />}
    </ListSection>
  );
}

function Remove({ passkey, disabled }: { passkey: Passkey; disabled: boolean }) {
  const reread = useReread();
  const { mutate } = useMutation({
    mutationFn: () => data(api.DELETE(ONE, ofPasskey(passkey))),
    onSuccess: reread,
    onError: (error) => notifyError(error, t('“{name}” cannot be removed', { name: passkey.name })),
  });
  const ask = async () => {
    const body = t('You can no longer log in with it. Your other sessions end.');
    if (await confirm({ title: t('Remove the passkey “{name}”?', { name: passkey.name }), body, action: t('Remove') }))
      mutate();
  };
  return (
    <Tooltip label={t('Remove')}>
      <ActionIcon
        aria-label={t('Remove {name}', { name: passkey.name })}
        disabled={disabled}
        onClick={() => void ask()}
      >
        <IconTrash size={16} />
      </ActionIcon>
    </Tooltip>
  );
}

function Rename({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const reread = useReread();
  const { form, error, busy, submit } = useSending({
    initial: { name: passkey.name },
    send: (body) => data(api.PATCH(ONE, { ...ofPasskey(passkey), body })),
    onSent: () => {
      reread();
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title={t('Rename “{name}”', { name: passkey.name })}>
      <form onSubmit={submit}>
        <Unexplained error={error} />
        <TextInput label={t('Name')} required data-autofocus mb="md" {...form.getInputProps('name')} />
        <Buttons action={t('Rename')} busy={busy} onClose={onClose} />
      </form>
    </Modal>
  );
}
