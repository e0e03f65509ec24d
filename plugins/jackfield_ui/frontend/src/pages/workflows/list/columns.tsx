import { Anchor, Badge, Group, Stack, Switch, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from 'react-router';
import { segment } from '../../../api/client';
import type { WorkflowRow } from '../../../api/types';
import { areaPath } from '../../../app/areas';
import type { Column } from '../../../components/DataTable';
import { notifyError } from '../../../components/notify';
import { projectColumns } from '../../../components/projects/ProjectBadge';
import type { Belonging } from '../../../components/projects/rights';
import { RelativeTime } from '../../../components/values';
import { t } from '../../../language/messages';
import { AttentionMark } from '../AttentionMark';
import { setActive } from '../queries';
import { type Folder, pathOf } from './folders';
import classes from './list.module.css';
import { useReread } from './useReread';
import { WhyInactive } from './WhyInactive';

export const address = ({ id }: { id: string }) => `${areaPath('workflows')}/${segment(id)}`;

/** `inUse`: whether there are projects to tell of. `folders`: whose paths stand below the names; none where one folder alone is shown. */
export function columnsOf(belonging: Belonging, inUse: boolean, folders: readonly Folder[]): Column<WorkflowRow>[] {
  return [
    {
      key: 'name',
      title: t('Name'),
      primary: true,
      render: (row) => <Name row={row} place={pathOf(folders, row.folderId)} />,
    },
    {
      key: 'active',
      title: t('Active'),
      render: (row) => (
        <Group gap={4} wrap="nowrap">
          {belonging.may(row.id, 'write') ? (
            <ActiveSwitch row={row} />
          ) : (
            <span>{row.active ? t('Active') : t('Inactive')}</span>
          )}
          {!row.active && <WhyInactive id={row.id} name={row.name} />}
        </Group>
      ),
    },
    ...projectColumns<WorkflowRow>(inUse, belonging),
    {
      key: 'starts',
      title: t('Starts'),
      render: ({ starts }) => (
        <Text size="sm" c="dimmed" className={classes.starts}>
          {starts?.map(({ text }) => text).join('; ')}
        </Text>
      ),
    },
    {
      key: 'tags',
      title: t('Tags'),
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
    { key: 'nodes', title: t('Nodes'), align: 'end', render: ({ nodeCount }) => nodeCount },
    { key: 'changed', title: t('Changed'), render: ({ updatedAt }) => <RelativeTime time={updatedAt} /> },
  ];
}

function Name({ row, place }: { row: WorkflowRow; place: string }) {
  return (
    <Stack gap={0}>
      <Group gap="xs" wrap="nowrap">
        <Anchor component={Link} to={address(row)} c="inherit" inherit style={{ overflowWrap: 'anywhere' }}>
          {row.name}
        </Anchor>
        <AttentionMark title={t('Needs attention')} reasons={row.attention ?? undefined} />
      </Group>
      {place && (
        <Text size="xs" c="dimmed">
          {place}
        </Text>
      )}
    </Stack>
  );
}

function ActiveSwitch({ row }: { row: WorkflowRow }) {
  const reread = useReread();
  const { mutate, isPending } = useMutation({
    mutationFn: (active: boolean) => setActive(row.id, active),
    onSuccess: reread,
    onError: (error) =>
      notifyError(
        error,
        row.active
          ? t('“{name}” cannot be deactivated', { name: row.name })
          : t('“{name}” cannot be activated', { name: row.name }),
      ),
  });
  return (
    <Switch
      aria-label={t('“{name}” is active', { name: row.name })}
      checked={row.active}
      disabled={isPending}
      onClick={(event) => event.stopPropagation()}
      onChange={(event) => mutate(event.currentTarget.checked)}
    />
  );
}
