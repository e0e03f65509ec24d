import { Button, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { api, body, segment } from '../../api/client';
import { useInvalidate } from '../../api/useEvents';
import { areaPath } from '../../app/areas';
import { IconGitBranch } from '../../icons/drawn';
import { t } from '../../language/messages';
import { type DataTableShown, ofTable } from './queries';

const KEY = ['data-table-users'] as const;
const CHANGES = ['workflow.saved', 'workflow.deleted', 'workflow.activated', 'workflow.deactivated'] as const;
/** Looking through workflows is work, so a burst of changes is one. */
const READ_EVERY_MS = 5_000;

/** The workflows whose nodes name the table. */
export function UsedBy({ table: { id, name } }: { table: DataTableShown }) {
  const { data: found } = useQuery({
    queryKey: [...KEY, id, name],
    queryFn: ({ signal }) => body(api.GET('/api/v1/data-tables/{table_id}/workflows', { ...ofTable(id), signal })),
    placeholderData: undefined,
  });
  useInvalidate('workflows', [KEY], CHANGES, READ_EVERY_MS);
  if (!found) return null;
  const workflows = found.data.length;

  return (
    <Menu disabled={workflows === 0}>
      <Menu.Target>
        <Button
          variant="default"
          disabled={workflows === 0}
          leftSection={<IconGitBranch size={16} aria-hidden="true" />}
        >
          {workflows === 0
            ? t('No workflow uses it')
            : found.truncated
              ? t('{workflows, plural, one {Used by # or more workflow} other {Used by # or more workflows}}', {
                  workflows,
                })
              : t('{workflows, plural, one {Used by # workflow} other {Used by # workflows}}', { workflows })}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah="50vh" style={{ overflow: 'auto' }}>
        {found.data.map((workflow) => (
          <Menu.Item
            key={workflow.id}
            component={Link}
            to={`${areaPath('workflows')}/${segment(workflow.id)}`}
            rightSection={workflow.active ? t('active') : undefined}
          >
            {workflow.name}: {workflow.nodes.join(', ')}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
