import { Stack, Text, ThemeIcon } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Icon } from '../icons/icon';

/** Nothing is here yet: says so, and what to do next. */
export function EmptyState({
  icon: Sign,
  title,
  action,
  children,
}: {
  icon?: Icon;
  title: string;
  action?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <Stack align="center" ta="center" gap="sm" py="xl" px="md">
      {Sign && (
        <ThemeIcon variant="light" size={44} radius="xl" aria-hidden="true">
          <Sign size={24} stroke={1.6} />
        </ThemeIcon>
      )}
      <Text fw={600} size="lg">
        {title}
      </Text>
      {children && (
        <Text c="dimmed" maw={480} component="div">
          {children}
        </Text>
      )}
      {action}
    </Stack>
  );
}
