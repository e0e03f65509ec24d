import { ActionIcon, Alert, Button, Group, List, Text } from '@mantine/core';
import { IconArrowUp, IconPackage, IconPlus, IconTrash } from '@tabler/icons-react';
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
import { nameAndVersion } from './names';

type Package = Schemas['CommunityPackageShown'];

const PATH = '/api/v1/community-nodes';
const ONE = '/api/v1/community-nodes/{package}';
const KEY = ['community-nodes'];
const MOST_NAME = 320;
/** What comes with a package: shown before anything is fetched. */
const RISK =
  'Its code, and that of all that it needs, is its publishers’. It runs in a sandbox, and gets the items and credentials of the nodes that use it.';

export default function Community() {
  const admin = useMay('admin');
  const [params, setParams] = useSearchParams();
  const list = useQuery({ queryKey: KEY, queryFn: ({ signal }) => body(api.GET(PATH, { signal })) });
  const may = admin && list.data?.changeable === true;
  const reread = useReread();
  const add = async (text: string) => {
    const given = nameAndVersion(text);
    const question = { title: `Add the package “${text}”?`, body: RISK, action: 'Add', danger: false };
    if (!(await confirm(question))) return;
    const made = await body(api.POST(PATH, { body: { ...given, integrity: '' } }));
    notifyDone(`${made.name} ${made.version} is here.`);
    reread();
  };
  const button = may && (
    <Button leftSection={<IconPlus size={16} aria-hidden="true" />} onClick={() => setParams({ new: '' })}>
      Add a package
    </Button>
  );
  const none = list.data?.data.length === 0;
  return (
    <Page
      title="Community nodes"
      subtitle="Nodes that others publish as npm packages, on this host."
      crumbs={[{ label: 'Plugins', to: '/ui/plugins' }]}
      actions={!none && button}
    >
      {list.data?.changeable === false && (
        <Alert color="gray" mb="md">
          The setting community_nodes.changes keeps the packages as they are.
        </Alert>
      )}
      <DataTable
        label="Community packages"
        columns={COLUMNS}
        rows={list.data?.data}
        rowKey={({ name }) => name}
        error={list.error}
        onRetry={() => void list.refetch()}
        {...(may ? { rowActions: (found: Package) => <Actions found={found} /> } : {})}
        empty={
          <EmptyState icon={IconPackage} title="No community packages" action={button}>
            A package brings nodes for a service or a task, such as n8n-nodes-evolution-api.
          </EmptyState>
        }
      />
      {may && params.has('new') && (
        <TextDialog
          question={{
            title: 'Add a package',
            label: 'Package',
            description: 'Its name on npm, and a version if you want another than the newest: n8n-nodes-acme@1.2.0',
            maxLength: MOST_NAME,
            action: 'Go on',
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
    title: 'Package',
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
    title: 'Version',
    width: 150,
    render: ({ version, integrity }) => (
      <Copyable text={integrity} label="The hash of its archive">
        {version}
      </Copyable>
    ),
  },
  {
    key: 'nodes',
    title: 'Nodes',
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
    title: 'License',
    width: 110,
    render: ({ license }) => license || '–',
  },
  {
    key: 'added',
    title: 'Added',
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
      notifyDone(`${name} is at ${version} now.`);
      reread();
    },
    onError: (error) => notifyError(error, `${name} stays as it was`),
  });
  const remove = useMutation({
    mutationFn: () => api.DELETE(ONE, path),
    onSuccess: reread,
    onError: (error) => notifyError(error, `${name} cannot be removed`),
  });
  const askUpdate = async () => {
    const question = { title: `Bring “${name}” to its newest version?`, body: RISK, action: 'Update', danger: false };
    if (await confirm(question)) update.mutate();
  };
  const askRemove = async () => {
    const lost = 'Workflows keep its nodes, which no longer run. Credentials stay.';
    if (await confirm({ title: `Remove the package “${name}”?`, body: lost, action: 'Remove' })) remove.mutate();
  };
  return (
    <Group gap={0} wrap="nowrap" justify="flex-end">
      <ActionIcon aria-label={`Update ${name}`} loading={update.isPending} onClick={() => void askUpdate()}>
        <IconArrowUp size={16} />
      </ActionIcon>
      <ActionIcon aria-label={`Remove ${name}`} loading={remove.isPending} onClick={() => void askRemove()}>
        <IconTrash size={16} />
      </ActionIcon>
    </Group>
  );
}
