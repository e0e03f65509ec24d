import { ActionIcon, Button, Menu } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { lazy, Suspense, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { api, body } from '../../api/client';
import { usePaged, yesOrNo } from '../../api/paging';
import type { WorkflowRow } from '../../api/types';
import { useInvalidate } from '../../api/useEvents';
import { useMay } from '../../app/session';
import { DataTable } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { Page } from '../../components/Page';
import { useProjectsInUse } from '../../components/projects/queries';
import { useBelonging } from '../../components/projects/rights';
import { TextDialog, type TextQuestion } from '../../components/TextDialog';
import { IconDotsVertical, IconFolderPlus, IconPlus, IconRoute, IconSearch, IconTags } from '../../icons/drawn';
import { t } from '../../language/messages';
import { Actions } from './list/Actions';
import { Chosen } from './list/Chosen';
import { address, columnsOf } from './list/columns';
import { Filters, type Wanted } from './list/Filters';
import { FolderTree, newFolder } from './list/FolderTree';
import { type Folder, useFolders } from './list/folders';
import classes from './list/list.module.css';
import { useReread } from './list/useReread';
import { NewWorkflow } from './NewWorkflow';

const ManageTags = lazy(() => import('./list/ManageTags'));
const EVERYTHING: Wanted = { text: '', state: '', tag: '', order: '-updatedAt' };
const NO_IDS: readonly string[] = [];
const NO_FOLDERS: readonly Folder[] = [];

export default function Workflows() {
  const navigate = useNavigate();
  const may = useMay('member');
  const [params, setParams] = useSearchParams();
  const [wanted, setWanted] = useState(EVERYTHING);
  const [selected, setSelected] = useState(new Set<string>());
  const [search] = useDebouncedValue(wanted.text, 200);
  const { data: folders = NO_FOLDERS } = useFolders();
  const folder = folders.find(({ id }) => id === params.get('folder'));
  // A search finds what is in every folder.
  const place = search ? null : params.get('folder');
  const { rows, paging, error, refetch } = usePaged(['workflows', 'list', wanted, search, place], (page, signal) => {
    const { state, tag, order } = wanted;
    const query = { search, active: yesOrNo(state), tags: tag, order, folder: place, ...page };
    return body(api.GET('/api/v1/workflows', { params: { query }, signal }));
  });
  const inUse = useProjectsInUse();
  const belonging = useBelonging('workflow', rows?.map(({ id }) => id) ?? NO_IDS);
  useInvalidate('workflows', [['workflows', 'list']], CHANGES);
  useInvalidate('workflows', [['workflows']], ['folders.changed', 'tags.changed']);
  const filtered = search !== '' || wanted.state !== '' || wanted.tag !== '';
  const open = (how: string) => setParams({ ...(folder ? { folder: folder.id } : {}), new: how });
  const close = () => setParams(folder ? { folder: folder.id } : {}, { replace: true });

  return (
    <Page
      title={t('Workflows')}
      subtitle={t('Each begins with a call, a schedule or a click, and does the rest by itself.')}
      actions={may && <Head folder={folder} onNew={open} />}
    >
      <div className={classes.columns} {...(folders.length ? { 'data-tree': true } : {})}>
        {folders.length > 0 && (
          <FolderTree folders={folders} chosen={folder?.id ?? null} editable={may} onGone={() => setParams({})} />
        )}
        <div>
          <Filters wanted={wanted} onChange={(change) => setWanted((now) => ({ ...now, ...change }))} />
          {selected.size > 0 && (
            <Chosen
              selected={selected}
              rows={rows ?? []}
              placing={[...selected].every((id) => belonging.may(id, 'admin'))}
              onChange={setSelected}
            />
          )}
          <DataTable
            label={t('Workflows')}
            columns={columnsOf(belonging, inUse, folder && !search ? NO_FOLDERS : folders)}
            rows={rows}
            rowKey={({ id }) => id}
            rowName={({ name }) => name}
            error={error}
            onRetry={() => void refetch()}
            paging={paging}
            onOpen={(row) => void navigate(address(row))}
            {...(may
              ? {
                  rowActions: (row: WorkflowRow) => <Actions row={row} belonging={belonging} />,
                  selection: { selected, onChange: setSelected },
                }
              : {})}
            empty={<Nothing filtered={filtered} folder={folder} {...(may ? { onNew: open } : {})} />}
          />
        </div>
      </div>
      {may && <NewWorkflow how={params.get('new')} folder={folder?.id ?? null} onClose={close} />}
    </Page>
  );
}

const CHANGES = [
  'workflow.saved',
  'workflow.activated',
  'workflow.deactivated',
  'workflow.deleted',
  'workflow.attention',
];

function Head({ folder, onNew }: { folder: Folder | undefined; onNew: (how: string) => void }) {
  const reread = useReread();
  const [question, setQuestion] = useState<TextQuestion>();
  const [tags, setTags] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => onNew('import')}>
        {t('Import')}
      </Button>
      <Button leftSection={<IconPlus size={16} aria-hidden="true" />} onClick={() => onNew('')}>
        {t('New workflow')}
      </Button>
      <Menu>
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label={t('Folders and tags')}>
            <IconDotsVertical size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconFolderPlus size={16} />} onClick={() => setQuestion(newFolder(folder, reread))}>
            {t('New folder')}
          </Menu.Item>
          <Menu.Item leftSection={<IconTags size={16} />} onClick={() => setTags(true)}>
            {t('Manage tags')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {question && <TextDialog question={question} onClose={() => setQuestion(undefined)} />}
      <Suspense>{tags && <ManageTags onClose={() => setTags(false)} />}</Suspense>
    </>
  );
}

function Nothing({
  filtered,
  folder,
  onNew,
}: {
  filtered: boolean;
  folder: Folder | undefined;
  onNew?: (how: string) => void;
}) {
  if (filtered) {
    return (
      <EmptyState icon={IconSearch} title={t('No workflow matches')}>
        {t('Search for something else, or clear the filters.')}
      </EmptyState>
    );
  }
  const action = onNew && <Button onClick={() => onNew('')}>{t('New workflow')}</Button>;
  if (folder) {
    return (
      <EmptyState icon={IconRoute} title={t('This folder is empty')} action={action}>
        {t('Create a workflow here, or move one in from its menu in the list.')}
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={IconRoute} title={t('No workflows yet')} action={action}>
      {t(
        'Start from an example or an empty canvas, or bring your n8n workflows: files and copied nodes work unchanged.',
      )}
    </EmptyState>
  );
}
