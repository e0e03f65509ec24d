import { ActionIcon, Menu } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, body } from '../../../api/client';
import { confirm } from '../../../components/confirm';
import { notifyError } from '../../../components/notify';
import { TextDialog } from '../../../components/TextDialog';
import { IconArrowLeft, IconArrowRight, IconDotsVertical, IconPencil, IconTrash } from '../../../icons/drawn';
import { t } from '../../../language/messages';
import { type DataColumn, KEY, ofColumn } from '../queries';

const ONE = '/api/v1/data-tables/{table_id}/columns/{column_id}';
/** Characters of a column's name. */
export const MOST_NAME = 63;
export const NAME_HELP = t('It begins with a letter and has letters, digits and _.');

/** Renames, moves and deletes a column. last: the place of the last column of the table. */
export function ColumnMenu({ column, last }: { column: DataColumn; last: number }) {
  const client = useQueryClient();
  const reread = () => client.invalidateQueries({ queryKey: KEY });
  const [renaming, setRenaming] = useState(false);
  const change = (change: { name: string } | { index: number }) =>
    body(api.PATCH(ONE, { ...ofColumn(column), body: change }));
  const move = useMutation({
    mutationFn: (index: number) => change({ index }),
    onSuccess: reread,
    onError: (error) => notifyError(error),
  });
  const remove = useMutation({
    mutationFn: () => api.DELETE(ONE, ofColumn(column)),
    onSuccess: reread,
    onError: (error) => notifyError(error),
  });
  const ask = async () => {
    const text = t('Its values in all rows are lost. Workflows that write it fail from then on.');
    if (
      await confirm({ title: t('Delete the column “{name}”?', { name: column.name }), body: text, action: t('Delete') })
    )
      remove.mutate();
  };
  return (
    <>
      <Menu>
        <Menu.Target>
          <ActionIcon size="sm" aria-label={t('Actions for the column {name}', { name: column.name })}>
            <IconDotsVertical size={14} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => setRenaming(true)}>
            {t('Rename')}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconArrowLeft size={16} />}
            disabled={column.index === 0}
            onClick={() => move.mutate(column.index - 1)}
          >
            {t('Move left')}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconArrowRight size={16} />}
            disabled={column.index === last}
            onClick={() => move.mutate(column.index + 1)}
          >
            {t('Move right')}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item c="var(--jf-bad)" leftSection={<IconTrash size={16} />} onClick={() => void ask()}>
            {t('Delete')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {renaming && (
        <TextDialog
          question={{
            title: t('Rename the column “{name}”', { name: column.name }),
            label: t('Name'),
            description: NAME_HELP,
            initial: column.name,
            maxLength: MOST_NAME,
            action: t('Rename'),
            run: async (name) => {
              if (name !== column.name) await change({ name });
              await reread();
            },
          }}
          onClose={() => setRenaming(false)}
        />
      )}
    </>
  );
}
