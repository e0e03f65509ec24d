import { Button, Group, Select, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Modal } from '../../../components/Modal';
import { explained } from '../../../components/notify';
import { t } from '../../../language/messages';
import { branches, pathOf, useFolders } from './folders';

const TOP = 'top';

/** Asks for the folder that something is moved into. */
export function MoveTo({
  title,
  present,
  barred,
  run,
  onClose,
}: {
  title: string;
  present: string | null;
  /** Ids of folders that it cannot be in. */
  barred?: ReadonlySet<string>;
  run: (folderId: string | null) => Promise<unknown>;
  onClose: () => void;
}) {
  const { data: folders = [] } = useFolders();
  const [chosen, setChosen] = useState(present ?? TOP);
  const move = useMutation({ mutationFn: () => run(chosen === TOP ? null : chosen), onSuccess: onClose });
  const choices = [
    { value: TOP, label: t('No folder') },
    ...branches(folders)
      .filter(({ folder }) => !barred?.has(folder.id))
      .map(({ folder }) => ({ value: folder.id, label: pathOf(folders, folder.id) })),
  ];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    move.mutate();
  };
  return (
    <Modal opened onClose={onClose} title={title}>
      <form onSubmit={submit}>
        <Stack>
          <Select
            label={t('Folder')}
            data={choices}
            value={chosen}
            onChange={(next) => setChosen(next ?? TOP)}
            allowDeselect={false}
            searchable
            error={move.error && explained(move.error)}
            data-autofocus
          />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              {t('Cancel')}
            </Button>
            <Button type="submit" loading={move.isPending} disabled={chosen === (present ?? TOP)}>
              {t('Move')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
