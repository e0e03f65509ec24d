import { ActionIcon, Button, Group, Text, TextInput, Tooltip } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { count } from '../../components/format';
import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconColumnInsertRight,
  IconDownload,
  IconFilter,
  IconPlus,
  IconSearch,
  IconTrash,
} from '../../icons/drawn';
import { t } from '../../language/messages';
import { ImportButton } from './csv/ImportButton';
import { filterText, type View } from './filters';
import { MOST_SHOWN } from './grid/Grid';
import { type Selection, selectedCount } from './grid/selection';
import type { useEdits } from './grid/useEdits';
import { csvAddress, type DataTableShown } from './queries';

const TYPED_MS = 250;

interface Props {
  table: DataTableShown;
  view: View;
  onView: (part: Partial<View>) => void;
  /** Rows of the view; undefined: not read yet. */
  total: number | undefined;
  mayWrite: boolean;
  ticked: Selection;
  onDelete: () => Promise<void>;
  filtering: boolean;
  onFiltering: (shown: boolean) => void;
  onAddRow: () => Promise<void>;
  onAddColumn: () => void;
  edits: ReturnType<typeof useEdits>;
}

/** Search, filter and export of the rows, and what is done to them. */
export function Toolbar(props: Props) {
  const { table, view, onView, total, mayWrite, ticked, filtering, onFiltering, edits } = props;
  const [search, setSearch] = useState(view.search);
  const look = useDebouncedCallback((text: string) => onView({ search: text.trim() }), TYPED_MS);
  const adding = useMutation({ mutationFn: props.onAddRow });
  const empty = table.columns.length === 0;
  const set = view.conditions.length;
  const narrowed = view.search !== '' || filterText(view.conditions, view.join) !== undefined;
  if (empty) {
    return (
      mayWrite && (
        <Group mb="sm">
          <Button leftSection={<IconColumnInsertRight size={16} aria-hidden="true" />} onClick={props.onAddColumn}>
            {t('Add column')}
          </Button>
        </Group>
      )
    );
  }
  return (
    <Group gap="sm" mb="sm">
      <TextInput
        aria-label={t('Search rows')}
        placeholder={t('Search')}
        leftSection={<IconSearch size={14} aria-hidden="true" />}
        value={search}
        onChange={(event) => {
          setSearch(event.currentTarget.value);
          look(event.currentTarget.value);
        }}
        w={200}
      />
      <Button
        variant="default"
        leftSection={<IconFilter size={16} aria-hidden="true" />}
        aria-expanded={filtering}
        onClick={() => onFiltering(!filtering)}
      >
        {set ? t('Filter ({set})', { set }) : t('Filter')}
      </Button>
      <Button
        component="a"
        variant="default"
        href={csvAddress(table.id, view)}
        download
        leftSection={<IconDownload size={16} aria-hidden="true" />}
      >
        {narrowed ? t('Export these rows') : t('Export')}
      </Button>
      {mayWrite && (
        <>
          <ImportButton table={table} />
          <Group gap={0}>
            <Step label={t('Undo')} icon={IconArrowBackUp} may={edits.mayUndo} onClick={edits.undo} />
            <Step label={t('Redo')} icon={IconArrowForwardUp} may={edits.mayRedo} onClick={edits.redo} />
          </Group>
          <Button
            variant="default"
            leftSection={<IconColumnInsertRight size={16} aria-hidden="true" />}
            onClick={props.onAddColumn}
          >
            {t('Add column')}
          </Button>
          <Button
            leftSection={<IconPlus size={16} aria-hidden="true" />}
            loading={adding.isPending}
            onClick={() => adding.mutate()}
          >
            {t('Add row')}
          </Button>
          {selectedCount(ticked, total) > 0 && <DeleteRows {...props} />}
        </>
      )}
      <Text size="sm" c="dimmed" role="status" ms="auto">
        {total === undefined ? '' : shownOf(total, narrowed, table.rows ?? total)}
      </Text>
    </Group>
  );
}

function shownOf(total: number, narrowed: boolean, all: number): string {
  const rows = narrowed
    ? t('{total} of {all} rows', { total: count(total), all: count(all) })
    : t('{total, plural, one {# row} other {# rows}}', { total });
  return total > MOST_SHOWN ? t('{rows}, the first {mostShown} shown', { rows, mostShown: count(MOST_SHOWN) }) : rows;
}

function Step({
  label,
  icon: Sign,
  may,
  onClick,
}: {
  label: string;
  icon: typeof IconPlus;
  may: boolean;
  onClick: () => Promise<void>;
}) {
  return (
    <Tooltip label={label}>
      <ActionIcon aria-label={label} disabled={!may} onClick={() => void onClick()}>
        <Sign size={18} />
      </ActionIcon>
    </Tooltip>
  );
}

function DeleteRows({ ticked, total, onDelete }: Props) {
  const rows = selectedCount(ticked, total);
  const removing = useMutation({ mutationFn: onDelete });
  return (
    <Button
      variant="default"
      c="var(--jf-bad)"
      leftSection={<IconTrash size={16} aria-hidden="true" />}
      loading={removing.isPending}
      onClick={() => removing.mutate()}
    >
      {t('{rows, plural, one {Delete # row} other {Delete # rows}}', { rows })}
    </Button>
  );
}
