import { ActionIcon, Menu } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { confirm } from '../../components/confirm';
import { count } from '../../components/format';
import { notifyError } from '../../components/notify';
import { PlaceDialogs, PlaceItems, type Placing } from '../../components/projects/PlaceItems';
import type { Belonging } from '../../components/projects/rights';
import { TextDialog } from '../../components/TextDialog';
import { IconDotsVertical, IconDownload, IconEraser, IconPencil, IconTrash } from '../../icons/drawn';
import { t } from '../../language/messages';
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
  const lost = t('Its {rows} rows are lost.', { rows: count(table.rows ?? 0) });
  const askClear = async () => {
    const body = t('{lost} The table and its columns stay.', { lost });
    if (await confirm({ title: t('Clear the data table “{name}”?', { name }), body, action: t('Clear'), typed: name }))
      clear.mutate();
  };
  const askDelete = async () => {
    const body = t('{lost} Workflows that use the table fail from then on.', { lost });
    if (
      await confirm({ title: t('Delete the data table “{name}”?', { name }), body, action: t('Delete'), typed: name })
    )
      remove.mutate();
  };
  return (
    <>
      <Menu>
        <Menu.Target>
          <ActionIcon aria-label={t('Actions for “{name}”', { name })} onClick={(event) => event.stopPropagation()}>
            <IconDotsVertical size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown onClick={(event) => event.stopPropagation()}>
          <Menu.Item component="a" href={csvAddress(id)} download leftSection={<IconDownload size={16} />}>
            {t('Export all rows as CSV')}
          </Menu.Item>
          {belonging.may(id, 'admin') && <PlaceItems onPlace={setPlacing} />}
          {may && (
            <>
              <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => setRenaming(true)}>
                {t('Rename')}
              </Menu.Item>
              <Menu.Divider />
              <Menu.Item c="var(--jf-bad)" leftSection={<IconEraser size={16} />} onClick={() => void askClear()}>
                {t('Clear')}
              </Menu.Item>
              <Menu.Item c="var(--jf-bad)" leftSection={<IconTrash size={16} />} onClick={() => void askDelete()}>
                {t('Delete')}
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
            title: t('Rename “{name}”', { name }),
            label: t('Name'),
            initial: name,
            maxLength: MOST_TABLE_NAME,
            action: t('Rename'),
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
