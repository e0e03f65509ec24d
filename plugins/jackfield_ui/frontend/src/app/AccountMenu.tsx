import { ActionIcon, Menu, Text } from '@mantine/core';
import { Link } from 'react-router';
import { notifyError } from '../components/notify';
import { IconLogout, IconSettings, IconUser } from '../icons/drawn';
import { LanguageItems } from '../language/LanguageItems';
import { t } from '../language/messages';
import { areaPath } from './areas';
import { hasArea } from './pages';
import { session, useSession } from './session';

export function AccountMenu() {
  const { info } = useSession();
  const owner = info?.kind === 'owner';
  return (
    <Menu width={220} withinPortal={false}>
      <Menu.Target>
        <ActionIcon aria-label={t('Account')}>
          <IconUser size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text c="var(--mantine-color-text)" fw={600} truncate>
            {owner ? t('This computer’s user') : (info?.user?.username ?? t('Unknown'))}
          </Text>
          <Text size="xs">{t('{role}, Jackfield {version}', { role: info?.user?.role, version: info?.version })}</Text>
        </Menu.Label>
        <Menu.Divider />
        <LanguageItems />
        <Menu.Divider />
        {hasArea('settings') && (
          <Menu.Item component={Link} to={areaPath('settings')} leftSection={<IconSettings size={16} />}>
            {t('Settings')}
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void session.logOut().catch(notifyError)}>
          {t('Log out')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
