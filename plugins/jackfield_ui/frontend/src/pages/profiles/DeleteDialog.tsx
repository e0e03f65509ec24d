import { Alert, Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ApiError, messageOf } from '../../api/errors';
import { Modal } from '../../components/Modal';
import { notifyDone } from '../../components/notify';
import { IconAlertTriangle } from '../../icons/drawn';
import { t } from '../../language/messages';
import { useDelete } from './queries';

/** The name is typed: a key cannot be brought back, and with it perhaps a home. */
export function DeleteDialog({
  alias,
  home,
  onClose,
  onDeleted,
}: {
  alias: string;
  home?: string | undefined;
  onClose: () => void;
  onDeleted: () => void;
}) {
  const remove = useDelete(alias);
  const [name, setName] = useState('');
  const [purge, setPurge] = useState(false);
  const live = remove.error instanceof ApiError && remove.error.status === 409;
  const [force, setForce] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await remove.mutateAsync({ purge, force: live && force });
      notifyDone(t('The profile {alias} was deleted.', { alias }));
      onDeleted();
    } catch {
      // Shown below.
    }
  };
  return (
    <Modal opened onClose={onClose} title={t('Delete the profile “{alias}”?', { alias })}>
      <form onSubmit={(event) => void submit(event)}>
        <Stack>
          <Text>
            {t('The profile, its key and its command are removed. Its home stays, unless you say otherwise.')}
          </Text>
          <Checkbox
            label={t('Also delete its home directory')}
            description={
              home
                ? t('{home}: the agent’s settings, logins and histories of this profile', { home })
                : t('The agent’s settings, logins and histories of this profile')
            }
            checked={purge}
            onChange={(event) => setPurge(event.currentTarget.checked)}
          />
          {remove.error && (
            <Alert color="red" icon={<IconAlertTriangle />} role="alert">
              {messageOf(remove.error)}
            </Alert>
          )}
          {live && (
            <Checkbox
              label={t('End its sessions and delete it anyway')}
              checked={force}
              onChange={(event) => setForce(event.currentTarget.checked)}
            />
          )}
          <TextInput
            label={t('Type “{alias}” to confirm', { alias })}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              {t('Cancel')}
            </Button>
            <Button
              type="submit"
              color="red.8"
              disabled={name !== alias || (live && !force)}
              loading={remove.isPending}
            >
              {t('Delete')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
