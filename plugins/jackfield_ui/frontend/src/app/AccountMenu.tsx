import { ActionIcon, Menu, Text } from '@mantine/core';
import { IconLogout, IconSettings, IconUser } from '@tabler/icons-react';
import { Link } from 'react-router';
import { notifyError } from '../components/notify';
import { areaPath } from './areas';
import { hasArea } from './pages';
import { session, useSession } from './session';

export function AccountMenu() {
  const { info } = useSession();
  const owner = info?.kind === 'owner';
  return (
    <Menu width={220} withinPortal={false}>
      <Menu.Target>
        <ActionIcon aria-label="Account">
          <IconUser size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text c="var(--mantine-color-text)" fw={600} truncate>
            {owner ? 'This computer’s user' : (info?.user?.username ?? 'Unknown')}
          </Text>
          <Text size="xs">
            {info?.user?.role}, Jackfield {info?.version}
          </Text>
        </Menu.Label>
        <Menu.Divider />
        {hasArea('settings') && (
          <Menu.Item component={Link} to={areaPath('settings')} leftSection={<IconSettings size={16} />}>
            Settings
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void session.logOut().catch(notifyError)}>
          Log out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
