import { Anchor, Button, Group, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { api, body } from '../../api/client';
import { usePaged } from '../../api/paging';
import { useMay } from '../../app/session';
import { type Column, DataTable } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { Page } from '../../components/Page';
import { ChosenThings } from '../../components/projects/ChosenThings';
import { projectColumns } from '../../components/projects/ProjectBadge';
import { useProjectsInUse } from '../../components/projects/queries';
import { useBelonging } from '../../components/projects/rights';
import { TextDialog } from '../../components/TextDialog';
import { Bytes, Count, RelativeTime } from '../../components/values';
import { IconPlus, IconSearch, IconTable } from '../../icons/drawn';
import { t } from '../../language/messages';
import { ImportButton } from './csv/ImportButton';
import { createTable, type DataTableShown, KEY, tablePath, useTableEvents } from './queries';
import { MOST_TABLE_NAME, TableMenu } from './TableMenu';

const NO_IDS: readonly string[] = [];
const PER_PAGE = 50;
const TYPED_MS = 250;

export default function DataTables() {
  const navigate = useNavigate();
  const may = useMay('member');
  const [params, setParams] = useSearchParams();
  const [search, setSearch] = useState(params.get('search') ?? '');
  const [wanted] = useDebouncedValue(search.trim(), TYPED_MS);
  const list = usePaged(
    [...KEY, 'list', wanted],
    (page, signal) => body(api.GET('/api/v1/data-tables', { params: { query: { search: wanted, ...page } }, signal })),
    PER_PAGE,
  );
  useTableEvents();
  const inUse = useProjectsInUse();
  const belonging = useBelonging('data-table', list.rows?.map(({ id }) => id) ?? NO_IDS);
  const [selected, setSelected] = useState(new Set<string>());
  const creating = may && params.has('new');
  const create = () => setParams({ new: '' }, { replace: true });
  const button = may && (
    <Group gap="sm">
      <ImportButton onDone={({ table: { id } }) => void navigate(tablePath(id))} />
      <Button leftSection={<IconPlus size={16} aria-hidden="true" />} onClick={create}>
        {t('New data table')}
      </Button>
    </Group>
  );
  const none = list.rows?.length === 0 && !wanted;
  return (
    <Page
      title={t('Data tables')}
      subtitle={t('Rows that workflows read and write with the Data table node, and you here.')}
      actions={!none && button}
    >
      {!none && (
        <TextInput
          aria-label={t('Search data tables')}
          placeholder={t('Search')}
          leftSection={<IconSearch size={14} aria-hidden="true" />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          mb="md"
          maw={280}
        />
      )}
      {selected.size > 0 && (
        <ChosenThings
          kind="data-table"
          things={(list.rows ?? []).filter(({ id }) => selected.has(id))}
          to={tablePath}
          placing={[...selected].every((id) => belonging.may(id, 'admin'))}
          onChange={setSelected}
        />
      )}
      <DataTable
        label={t('Data tables')}
        columns={[...COLUMNS, ...projectColumns<DataTableShown>(inUse, belonging)]}
        rowName={({ name }) => name}
        {...(inUse && may ? { selection: { selected, onChange: setSelected } } : {})}
        rows={list.rows}
        rowKey={({ id }) => id}
        error={list.error}
        onRetry={() => void list.refetch()}
        paging={list.paging}
        onOpen={({ id }) => void navigate(tablePath(id))}
        rowActions={(table) => <TableMenu table={table} belonging={belonging} />}
        empty={
          wanted ? (
            <EmptyState icon={IconTable} title={t('No data table matches')}>
              {t('Its name must contain “{wanted}”.', { wanted })}
            </EmptyState>
          ) : (
            <EmptyState icon={IconTable} title={t('No data tables yet')} action={button}>
              {t('A data table keeps rows between executions: customers, readings, what was seen already.')}
            </EmptyState>
          )
        }
      />
      {creating && <Create onClose={() => setParams({}, { replace: true })} />}
    </Page>
  );
}

function Create({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const made = useRef<string>(undefined);
  const close = () => (made.current === undefined ? onClose() : void navigate(tablePath(made.current)));
  return (
    <TextDialog
      question={{
        title: t('New data table'),
        label: t('Name'),
        description: t('Then you add its columns.'),
        maxLength: MOST_TABLE_NAME,
        action: t('Create'),
        run: async (name) => {
          const { id } = await createTable(name);
          void client.invalidateQueries({ queryKey: KEY });
          made.current = id;
        },
      }}
      onClose={close}
    />
  );
}

const COLUMNS: Column<DataTableShown>[] = [
  {
    key: 'name',
    title: t('Name'),
    primary: true,
    render: ({ id, name }) => (
      <Anchor component={Link} to={tablePath(id)} onClick={(event) => event.stopPropagation()}>
        {name}
      </Anchor>
    ),
  },
  { key: 'columns', title: t('Columns'), align: 'end', width: 110, render: ({ columns }) => columns.length },
  { key: 'rows', title: t('Rows'), align: 'end', width: 110, render: ({ rows }) => <Count value={rows ?? 0} /> },
  { key: 'size', title: t('Size'), align: 'end', width: 110, render: ({ sizeBytes }) => <Bytes value={sizeBytes} /> },
  {
    key: 'changed',
    title: t('Changed'),
    width: 150,
    render: ({ updatedAt }) => <RelativeTime time={updatedAt} />,
  },
];
