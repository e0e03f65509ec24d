import { ActionIcon, Alert, Button, Group, List, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { api, body } from '../../api/client';
import type { Schemas } from '../../api/types';
import { useMay } from '../../app/session';
import { Copyable } from '../../components/Copyable';
import { confirm } from '../../components/confirm';
import { type Column, DataTable } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { notifyDone, notifyError } from '../../components/notify';
import { Page } from '../../components/Page';
import { TextDialog } from '../../components/TextDialog';
import { RelativeTime } from '../../components/values';
import { IconArrowUp, IconPackage, IconPlus, IconTrash } from '../../icons/drawn';
import { t } from '../../language/messages';
import { nameAndVersion } from './names';

type Package = Schemas['CommunityPackageShown'];

const PATH = '/api/v1/community-nodes';
const ONE = '/api/v1/community-nodes/{package}';
const KEY = ['community-nodes'];
const MOST_NAME = 320;
/** What comes with a package: shown before anything is fetched. */
const RISK = t(
  'Its code and its dependencies come from their publishers. It runs in a sandbox, and gets the items and credentials of the nodes that use it.',
);

export default function Community() {
  const admin = useMay('admin');
  const [params, setParams] = useSearchParams();
  const list = useQuery({ queryKey: KEY, queryFn: ({ signal }) => body(api.GET(PATH, { signal })) });
  const may = admin && list.data?.changeable === true;
  const reread = useReread();
  const add = async (text: string) => {
    const given = nameAndVersion(text);
    const question = { title: t('Add the package “{text}”?', { text }), body: RISK, action: t('Add'), danger: false };
    if (!(await confirm(question))) return;
    const made = await body(api.POST(PATH, { body: { ...given, integrity: '' } }));
    notifyDone(t('{name} {version} was installed.', { name: made.name, version: made.version }));
    reread();
  };
  const button = may && (
    <Button leftSection={<IconPlus size={16} aria-hidden="true" />} onClick={() => setParams({ new: '' })}>
      {t('Add a package')}
    </Button>
  );
  const none = list.data?.data.length === 0;
  return (
    <Page
      title={t('Community nodes')}
      subtitle={t('Nodes that others publish as npm packages, on this host.')}
      crumbs={[{ label: t('Plugins'), to: '/ui/plugins' }]}
      actions={!none && button}
    >
      {list.data?.changeable === false && (
        <Alert color="gray" mb="md">
          {t('The setting community_nodes.changes keeps the packages as they are.')}
        </Alert>
      )}
      <DataTable
        label={t('Community packages')}
        columns={COLUMNS}
        rows={list.data?.data}
        rowKey={({ name }) => name}
        error={list.error}
        onRetry={() => void list.refetch()}
        {...(may ? { rowActions: (found: Package) => <Actions found={found} /> } : {})}
        empty={
          <EmptyState icon={IconPackage} title={t('No community packages')} action={button}>
            {t('A package brings nodes for a service or a task, such as n8n-nodes-evolution-api.')}
          </EmptyState>
        }
      />
      {may && params.has('new') && (
        <TextDialog
          question={{
            title: t('Add a package'),
            label: t('Package'),
            description: t('Its name on npm, and a version if you want another than the newest: n8n-nodes-acme@1.2.0'),
            maxLength: MOST_NAME,
            action: t('Continue'),
            run: add,
          }}
          onClose={() => setParams({}, { replace: true })}
        />
      )}
    </Page>
  );
}

const COLUMNS: Column<Package>[] = [
  {
    key: 'name',
    title: t('Package'),
    primary: true,
    sort: ({ name }) => name,
    render: ({ name, summary, problems }) => (
      <>
        <span className="jf-mono">{name}</span>
        {summary && (
          <Text size="sm" c="dimmed" fw={400}>
            {summary}
          </Text>
        )}
        {problems.length > 0 && (
          <Text size="sm" fw={400} c="var(--jf-bad)" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {problems.join('\n')}
          </Text>
        )}
      </>
    ),
  },
  {
    key: 'version',
    title: t('Version'),
    width: 150,
    render: ({ version, integrity }) => (
      <Copyable text={integrity} label={t('The hash of its archive')}>
        {version}
      </Copyable>
    ),
  },
  {
    key: 'nodes',
    title: t('Nodes'),
    render: ({ nodes }) => (
      <List size="sm" listStyleType="none">
        {nodes.map(({ kind, title, missing }) => (
          <List.Item key={kind}>
            {title}
            {missing && (
              <Text span size="sm" c="dimmed">
                {` – ${missing}`}
              </Text>
            )}
          </List.Item>
        ))}
      </List>
    ),
  },
  {
    key: 'license',
    title: t('License'),
    width: 110,
    render: ({ license }) => license || '–',
  },
  {
    key: 'added',
    title: t('Added'),
    width: 130,
    sort: ({ installedAt }) => installedAt,
    render: ({ installedAt }) => <RelativeTime time={installedAt} />,
  },
];

function useReread() {
  const client = useQueryClient();
  return () => {
    void client.invalidateQueries({ queryKey: KEY });
    void client.invalidateQueries({ queryKey: ['node-types'] });
  };
}

function Actions({ found: { name } }: { found: Package }) {
  const reread = useReread();
  const path = { params: { path: { package: name } } };
  const update = useMutation({
    mutationFn: () => body(api.PUT(ONE, { ...path, body: { version: '', integrity: '' } })),
    onSuccess: ({ version }) => {
      notifyDone(t('{name} is at {version} now.', { name, version }));
      reread();
    },
    onError: (error) => notifyError(error, t('{name} is unchanged', { name })),
  });
  const remove = useMutation({
    mutationFn: () => api.DELETE(ONE, path),
    onSuccess: reread,
    onError: (error) => notifyError(error, t('{name} cannot be removed', { name })),
  });
  const askUpdate = async () => {
    const question = {
      title: t('Update “{name}” to its newest version?', { name }),
      body: RISK,
      action: t('Update'),
      danger: false,
    };
    if (await confirm(question)) update.mutate();
  };
  const askRemove = async () => {
    const lost = t('Workflows keep its nodes, which no longer run. Credentials stay.');
    if (await confirm({ title: t('Remove the package “{name}”?', { name }), body: lost, action: t('Remove') }))
      remove.mutate();
  };
  return (
    <Group gap={0} wrap="nowrap" justify="flex-end">
      <ActionIcon aria-label={t('Update {name}', { name })} loading={update.isPending} onClick={() => void askUpdate()}>
        <IconArrowUp size={16} />
      </ActionIcon>
      <ActionIcon aria-label={t('Remove {name}', { name })} loading={remove.isPending} onClick={() => void askRemove()}>
        <IconTrash size={16} />
      </ActionIcon>
    </Group>
  );
}
