import { ActionIcon, Menu } from '@mantine/core';
import { IconDotsVertical, IconDownload, IconEraser, IconPencil, IconTrash } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { confirm } from '../../components/confirm';
import { count } from '../../components/format';
import { notifyError } from '../../components/notify';
import { PlaceDialogs, PlaceItems, type Placing } from '../../components/projects/PlaceItems';
import type { Belonging } from '../../components/projects/rights';
import { TextDialog } from '../../components/TextDialog';
import { clearTable, csvAddress, type DataTableShown, deleteTable, KEY, renameTable, tablePath } from './queries';

/** Characters of a table's name. */
export const MOST_TABLE_NAME = 128;

/** What may be done to a table as a whole. */
export function TableMenu({
  table,
  belonging,
  onDeleted,
}: {
  table: DataTableShown;
  belonging: Belonging;
  onDeleted?: () => void;
}) {
  const { id, name } = table;
  const may = belonging.may(id, 'write');
  const [placing, setPlacing] = useState<Placing>();
  const client = useQueryClient();
  const reread = () => client.invalidateQueries({ queryKey: KEY });
  const [renaming, setRenaming] = useState(false);
  const clear = useMutation({ mutationFn: () => clearTable(id), onSuccess: reread, onError: (e) => notifyError(e) });
  const remove = useMutation({
    mutationFn: () => deleteTable(id),
    onSuccess: () => {
      onDeleted?.();
      return reread();
    },
    onError: (error) => notifyError(error),
  });
  const lost = `Its ${count(table.rows ?? 0)} rows are lost.`;
  const askClear = async () => {
    const body = `${lost} The table and its columns stay.`;
    if (await confirm({ title: `Clear the data table “${name}”?`, body, action: 'Clear', typed: name })) clear.mutate();
  };
  const askDelete = async () => {
    const body = `${lost} Workflows that use the table fail from then on.`;
    if (await confirm({ title: `Delete the data table “${name}”?`, body, action: 'Delete', typed: name }))
      remove.mutate();
  };
  return (
    <>
      <Menu>
        <Menu.Target>
          <ActionIcon aria-label={`Actions for “${name}”`} onClick={(event) => event.stopPropagation()}>
            <IconDotsVertical size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown onClick={(event) => event.stopPropagation()}>
          <Menu.Item component="a" href={csvAddress(id)} download leftSection={<IconDownload size={16} />}>
            Export all rows as CSV
          </Menu.Item>
          {belonging.may(id, 'admin') && <PlaceItems onPlace={setPlacing} />}
          {may && (
            <>
              <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => setRenaming(true)}>
                Rename
              </Menu.Item>
              <Menu.Divider />
              <Menu.Item c="var(--jf-bad)" leftSection={<IconEraser size={16} />} onClick={() => void askClear()}>
                Clear
              </Menu.Item>
              <Menu.Item c="var(--jf-bad)" leftSection={<IconTrash size={16} />} onClick={() => void askDelete()}>
                Delete
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <PlaceDialogs
        open={placing}
        kind="data-table"
        things={[table]}
        to={tablePath}
        onClose={() => setPlacing(undefined)}
      />
      {renaming && (
        <TextDialog
          question={{
            title: `Rename “${name}”`,
            label: 'Name',
            initial: name,
            maxLength: MOST_TABLE_NAME,
            action: 'Rename',
            run: async (next) => {
              if (next !== name) await renameTable(id, next);
              await reread();
            },
          }}
          onClose={() => setRenaming(false)}
        />
      )}
    </>
  );
}
