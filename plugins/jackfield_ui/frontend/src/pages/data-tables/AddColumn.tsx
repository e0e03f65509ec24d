import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, body } from '../../api/client';
import { Modal } from '../../components/Modal';
import { explained } from '../../components/notify';
import { t } from '../../language/messages';
import { MOST_NAME, NAME_HELP } from './grid/ColumnMenu';
import { type ColumnType, KEY, ofTable } from './queries';

export const TYPES: readonly { value: ColumnType; label: string }[] = [
  { value: 'string', label: t('string: text') },
  { value: 'number', label: 'number' },
  { value: 'boolean', label: t('boolean: true or false') },
  { value: 'date', label: t('date: a moment in time') },
];

/** Asks for the name and the type of a new column. Mounted while it is open. */
export function AddColumn({ id, onClose }: { id: string; onClose: () => void }) {
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [type, setType] = useState<ColumnType>('string');
  const add = useMutation({
    mutationFn: () =>
      body(api.POST('/api/v1/data-tables/{table_id}/columns', { ...ofTable(id), body: { name: name.trim(), type } })),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: KEY });
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <Modal opened onClose={onClose} title={t('Add column')}>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label={t('Name')}
            description={NAME_HELP}
            maxLength={MOST_NAME}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={add.error && explained(add.error)}
            data-autofocus
          />
          <NativeSelect
            label={t('Type')}
            description={t("It stays as it is: a column's type cannot be changed.")}
            data={[...TYPES]}
            value={type}
            onChange={(event) => setType(TYPES.find(({ value }) => value === event.currentTarget.value)?.value ?? type)}
          />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              {t('Cancel')}
            </Button>
            <Button type="submit" loading={add.isPending} disabled={!name.trim()}>
              {t('Add')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
