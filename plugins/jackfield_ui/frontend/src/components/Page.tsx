import { Anchor, Box, Breadcrumbs, Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useTitle } from '../app/title';
import { t } from '../language/messages';

export interface Crumb {
  label: string;
  to: string;
}

/** A page's head and body. The title is also the document's; `subtitle` says what the page is for, in one line. */
export function Page({
  title,
  subtitle,
  badge,
  actions,
  crumbs = [],
  children,
}: {
  title: string;
  subtitle?: ReactNode;
  badge?: ReactNode;
  actions?: ReactNode;
  crumbs?: readonly Crumb[];
  children: ReactNode;
}) {
  useTitle(title);
  return (
    <>
      {crumbs.length > 0 && (
        <Breadcrumbs component="nav" aria-label={t('Breadcrumbs')} mb="xs" separatorMargin="xs">
          {crumbs.map(({ label, to }) => (
            <Anchor key={to} component={Link} to={to} size="sm" c="dimmed">
              {label}
            </Anchor>
          ))}
          <span />
        </Breadcrumbs>
      )}
      <Group justify="space-between" align="flex-start" mb="md" gap="sm">
        <Box miw={0}>
          <Group gap="sm">
            <Title order={1} tabIndex={-1} style={{ overflowWrap: 'anywhere' }}>
              {title}
            </Title>
            {badge}
          </Group>
          {subtitle && <Text c="dimmed">{subtitle}</Text>}
        </Box>
        {actions && <Group gap="sm">{actions}</Group>}
      </Group>
      {children}
    </>
  );
}
