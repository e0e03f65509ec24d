import { ActionIcon, AppShell, Burger, Group, Kbd, Text, Tooltip, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazy, Suspense, useEffect, useState } from 'react';
import { Link, Outlet, useLocation, useNavigate } from 'react-router';
import { IconKeyboard, IconSearch } from '../icons/drawn';
import { t } from '../language/messages';
import { AccountMenu } from './AccountMenu';
import { areaPath } from './areas';
import { ConnectionState } from './ConnectionState';
import { Logo } from './Logo';
import { Nav } from './Nav';
import { OfflineBanner } from './OfflineBanner';
import { useOfferedAreas } from './offered';
import { SchemeToggle } from './SchemeToggle';
import { useSession } from './session';
import classes from './shell.module.css';
import { keysOf, useJumps, useShortcuts } from './shortcuts';

const Palette = lazy(() => import('./Palette'));
const ShortcutsHelp = lazy(() => import('./ShortcutsHelp'));

export function Shell() {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const [menu, { toggle, close }] = useDisclosure();
  const [palette, setPalette] = useState(false);
  const [help, setHelp] = useState(false);

  const here = useSession().phase === 'in';

  useShortcuts([
    { keys: 'mod+K', label: t('Search and commands'), run: () => here && setPalette(true), inFields: true },
    { keys: 'shift+?', label: t('This help'), run: () => here && setHelp(true) },
  ]);
  const areas = useOfferedAreas();
  useJumps((letter) => {
    const area = areas.find(({ jump }) => jump === letter);
    if (area) void navigate(areaPath(area.id));
    return area !== undefined;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: every navigation closes the drawer
  useEffect(close, [pathname]);

  return (
    <>
      <a className="jf-skip" href="#main">
        {t('Skip to content')}
      </a>
      <AppShell
        header={{ height: 48 }}
        navbar={{ width: 216, breakpoint: 'sm', collapsed: { mobile: !menu } }}
        padding={0}
        transitionDuration={120}
      >
        <AppShell.Header className={classes.header}>
          <Group h="100%" px="md" gap="md" justify="space-between" wrap="nowrap">
            <Group gap="sm" wrap="nowrap">
              <Burger
                opened={menu}
                onClick={toggle}
                hiddenFrom="sm"
                size="sm"
                aria-label={menu ? t('Close navigation') : t('Open navigation')}
                aria-expanded={menu}
              />
              <UnstyledButton component={Link} to="/" aria-label={t('Jackfield, dashboard')}>
                <Group gap="sm" wrap="nowrap">
                  <Logo />
                  <Text fw={650} size="lg" visibleFrom="xs">
                    Jackfield
                  </Text>
                </Group>
              </UnstyledButton>
            </Group>
            <UnstyledButton className={classes.search} onClick={() => setPalette(true)} visibleFrom="xs">
              <IconSearch size={16} aria-hidden="true" />
              <Text size="sm" flex={1} truncate>
                {t('Search or jump to…')}
              </Text>
              <Kbd size="xs" aria-hidden="true">
                {keysOf('mod+K').join(' ')}
              </Kbd>
            </UnstyledButton>
            <Group gap="xs" wrap="nowrap">
              <ActionIcon hiddenFrom="xs" onClick={() => setPalette(true)} aria-label={t('Search and commands')}>
                <IconSearch size={18} />
              </ActionIcon>
              <ConnectionState />
              <Tooltip label={t('Keyboard shortcuts')}>
                <ActionIcon onClick={() => setHelp(true)} aria-label={t('Keyboard shortcuts')} visibleFrom="sm">
                  <IconKeyboard size={18} />
                </ActionIcon>
              </Tooltip>
              <SchemeToggle />
              <AccountMenu />
            </Group>
          </Group>
        </AppShell.Header>
        <AppShell.Navbar className={classes.nav} p="sm" aria-label={t('Main')}>
          <Nav />
        </AppShell.Navbar>
        <AppShell.Main id="main">
          <OfflineBanner />
          <Outlet />
        </AppShell.Main>
      </AppShell>
      <Suspense>
        {palette && <Palette onClose={() => setPalette(false)} />}
        {help && <ShortcutsHelp onClose={() => setHelp(false)} />}
      </Suspense>
    </>
  );
}
