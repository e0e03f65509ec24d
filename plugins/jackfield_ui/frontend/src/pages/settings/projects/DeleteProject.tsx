import { Select, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../../api/client';
import type { Schemas } from '../../../api/types';
import { Modal } from '../../../components/Modal';
import { ofProject, PROJECT, useProjects } from '../../../components/projects/queries';
import { useSending } from '../../../components/useSending';
import { t } from '../../../language/messages';
import { Buttons, Unexplained } from '../FormParts';
import { heldWords } from './model';

/** Says what the project has, and asks where that goes. */
export function DeleteProject({
  project: { id, name, holds },
  onDeleted,
  onClose,
}: {
  project: Schemas['ProjectWhole'];
  onDeleted: () => void;
  onClose: () => void;
}) {
  const { data: projects = [] } = useProjects();
  const [typed, setTyped] = useState('');
  const held = heldWords(holds);
  const { form, error, busy, submit } = useSending({
    initial: { movingTo: null as string | null },
    validate: {
      movingTo: (movingTo) => (held && !movingTo ? t('Choose the project that gets what this one has.') : null),
    },
    send: ({ movingTo }) => {
      const query = held && movingTo ? { movingTo } : {};
      return api.DELETE(PROJECT, { params: { ...ofProject(id).params, query } });
    },
    onSent: onDeleted,
  });
  return (
    <Modal opened onClose={onClose} title={t('Delete the project “{name}”?', { name })}>
      <form onSubmit={submit}>
        <Stack>
          <Unexplained error={error} />
          <Text>
            {held
              ? t(
                  'It contains {held}. They move to the project that you choose, where its members may see and change them.',
                  { held },
                )
              : t('It is empty. Its members lose nothing but the project.')}
          </Text>
          {held && (
            <Select
              label={t('Move everything to')}
              placeholder={t('Choose a project')}
              data={projects.filter((one) => one.id !== id).map((one) => ({ value: one.id, label: one.name }))}
              searchable
              data-autofocus
              {...form.getInputProps('movingTo')}
            />
          )}
          <TextInput
            label={t('Type “{name}” to confirm', { name })}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
          />
          <Buttons action={t('Delete')} busy={busy} onClose={onClose} disabled={typed !== name} danger />
        </Stack>
      </form>
    </Modal>
  );
}
