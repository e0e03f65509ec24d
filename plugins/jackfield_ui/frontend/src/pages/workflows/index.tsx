import { ActionIcon, Anchor, Badge, Button, Group, Menu, Select, Switch, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import {
  IconCopy,
  IconDotsVertical,
  IconPlayerPlay,
  IconPlus,
  IconRoute,
  IconSearch,
  IconTrash,
} from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { api, body, segment } from '../../api/client';
import { usePaged, yesOrNo } from '../../api/paging';
import type { WorkflowRow } from '../../api/types';
import { useInvalidate } from '../../api/useEvents';
import { areaPath } from '../../app/areas';
import { hasArea } from '../../app/pages';
import { useMay } from '../../app/session';
import { confirm } from '../../components/confirm';
import { type Column, DataTable } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { notifyDone, notifyError } from '../../components/notify';
import { Page } from '../../components/Page';
import { RelativeTime } from '../../components/values';
import { AttentionMark } from './AttentionMark';
import { NewWorkflow } from './NewWorkflow';
import { setActive, startWorkflow, useTags } from './queries';

const PATH = areaPath('workflows');
const address = ({ id }: { id: string }) => `${PATH}/${segment(id)}`;

export default function Workflows() {
  const navigate = useNavigate();
  const may = useMay('member');
  const [params, setParams] = useSearchParams();
  const [text, setText] = useState('');
  const [state, setState] = useState('');
  const [tag, setTag] = useState('');
  const [search] = useDebouncedValue(text, 200);
  const { data: tags = [] } = useTags();
  const { rows, paging, error, refetch } = usePaged(['workflows', 'list', search, state, tag], (page, signal) => {
    const query = { search, active: yesOrNo(state), tags: tag, ...page };
    return body(api.GET('/api/v1/workflows', { params: { query }, signal }));
  });
  useInvalidate(
    'workflows',
    [['workflows', 'list']],
    ['workflow.saved', 'workflow.activated', 'workflow.deactivated', 'workflow.deleted', 'workflow.attention'],
  );
  const filtered = search !== '' || state !== '' || tag !== '';
  const create = () => setParams({ new: '' });

  return (
    <Page
      title="Workflows"
      subtitle="What starts by a call, a schedule or by hand, and what happens then."
      actions={
        may && (
          <>
            <Button variant="default" onClick={() => setParams({ new: 'import' })}>
              Import
            </Button>
            <Button leftSection={<IconPlus size={16} aria-hidden="true" />} onClick={create}>
              New workflow
            </Button>
          </>
        )
      }
    >
      <Group mb="md" gap="sm">
        <TextInput
          aria-label="Search workflows by name"
          placeholder="Search by name"
          leftSection={<IconSearch size={16} aria-hidden="true" />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          w={{ base: '100%', xs: 280 }}
        />
        <Select
          aria-label="Show which workflows"
          data={[
            { value: '', label: 'All workflows' },
            { value: 'true', label: 'Active only' },
            { value: 'false', label: 'Inactive only' },
          ]}
          value={state}
          onChange={(next) => setState(next ?? '')}
          allowDeselect={false}
          w={170}
        />
        {tags.length > 0 && (
          <Select
            aria-label="Show workflows with a tag"
            placeholder="All tags"
            data={tags}
            value={tag || null}
            onChange={(next) => setTag(next ?? '')}
            searchable
            clearable
            w={220}
          />
        )}
      </Group>
      <DataTable
        label="Workflows"
        columns={may ? [NAME, ACTIVE, ...FIGURES] : [NAME, READ_ACTIVE, ...FIGURES]}
        rows={rows}
        rowKey={({ id }) => id}
        rowName={({ name }) => name}
        error={error}
        onRetry={() => void refetch()}
        paging={paging}
        onOpen={(row) => void navigate(address(row))}
        {...(may ? { rowActions: (row: WorkflowRow) => <Actions row={row} /> } : {})}
        empty={
          filtered ? (
            <EmptyState icon={IconSearch} title="No workflow fits">
              Search for another part of the name, or show all workflows.
            </EmptyState>
          ) : (
            <EmptyState
              icon={IconRoute}
              title="No workflows yet"
              action={may && <Button onClick={create}>New workflow</Button>}
            >
              Start with an empty canvas, or bring what you have: n8n’s workflow files and what n8n copies to the
              clipboard work as they are.
            </EmptyState>
          )
        }
      />
      {may && <NewWorkflow how={params.get('new')} onClose={() => setParams({}, { replace: true })} />}
    </Page>
  );
}

const NAME: Column<WorkflowRow> = {
  key: 'name',
  title: 'Name',
  primary: true,
  render: (row) => (
    <Group gap="xs" wrap="nowrap">
      <Anchor component={Link} to={address(row)} c="inherit" inherit style={{ overflowWrap: 'anywhere' }}>
        {row.name}
      </Anchor>
      <AttentionMark title="Needs attention" reasons={row.attention ?? undefined} />
    </Group>
  ),
};
const ACTIVE: Column<WorkflowRow> = { key: 'active', title: 'Active', render: (row) => <ActiveSwitch row={row} /> };
const READ_ACTIVE: Column<WorkflowRow> = {
  key: 'active',
  title: 'Active',
  render: (row) => (row.active ? 'Active' : 'Inactive'),
};
const FIGURES: Column<WorkflowRow>[] = [
  {
    key: 'tags',
    title: 'Tags',
    render: ({ tags }) => (
      <Group gap={4}>
        {tags.map(({ id, name }) => (
          <Badge key={id} variant="light" size="sm" tt="none">
            {name}
          </Badge>
        ))}
      </Group>
    ),
  },
  { key: 'nodes', title: 'Nodes', align: 'end', render: ({ nodeCount }) => nodeCount },
  { key: 'changed', title: 'Changed', render: ({ updatedAt }) => <RelativeTime time={updatedAt} /> },
];

function useReread() {
  const client = useQueryClient();
  return () => void client.invalidateQueries({ queryKey: ['workflows'] });
}

function ActiveSwitch({ row }: { row: WorkflowRow }) {
  const reread = useReread();
  const { mutate, isPending } = useMutation({
    mutationFn: (active: boolean) => setActive(row.id, active),
    onSuccess: reread,
    onError: (error) => notifyError(error, `“${row.name}” cannot be ${row.active ? 'deactivated' : 'activated'}`),
  });
  return (
    <Switch
      aria-label={`“${row.name}” is active`}
      checked={row.active}
      disabled={isPending}
      onClick={(event) => event.stopPropagation()}
      onChange={(event) => mutate(event.currentTarget.checked)}
    />
  );
}

function Actions({ row }: { row: WorkflowRow }) {
  const ofRow = { params: { path: { workflow_id: row.id } } };
  const reread = useReread();
  const navigate = useNavigate();
  const run = useMutation({
    mutationFn: () => startWorkflow(row.id),
    onSuccess: ({ executionId }) => {
      if (hasArea('executions')) void navigate(`${areaPath('executions')}/${segment(executionId)}`);
      else notifyDone(`“${row.name}” runs.`);
    },
    onError: (error) => notifyError(error, `“${row.name}” cannot run`),
  });
  const duplicate = useMutation({
    mutationFn: () => body(api.POST('/api/v1/workflows/{workflow_id}/duplicate', { ...ofRow, body: {} })),
    onSuccess: ({ name }) => {
      reread();
      notifyDone(`Copied to “${name}”.`);
    },
    onError: (error) => notifyError(error),
  });
  const remove = useMutation({
    mutationFn: () => api.DELETE('/api/v1/workflows/{workflow_id}', ofRow),
    onSuccess: reread,
    onError: (error) => notifyError(error),
  });
  const ask = async () => {
    const body = row.active
      ? 'It is active: its webhooks and schedules end as well. Its versions are deleted; its executions stay.'
      : 'Its versions are deleted as well; its executions stay.';
    if (await confirm({ title: `Delete the workflow “${row.name}”?`, body, action: 'Delete' })) remove.mutate();
  };
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon aria-label={`Actions for “${row.name}”`} onClick={(event) => event.stopPropagation()}>
          <IconDotsVertical size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown onClick={(event) => event.stopPropagation()}>
        <Menu.Item leftSection={<IconPlayerPlay size={16} />} onClick={() => run.mutate()}>
          Run
        </Menu.Item>
        <Menu.Item leftSection={<IconCopy size={16} />} onClick={() => duplicate.mutate()}>
          Duplicate
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item c="var(--jf-bad)" leftSection={<IconTrash size={16} />} onClick={() => void ask()}>
          <Text inherit>Delete</Text>
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
