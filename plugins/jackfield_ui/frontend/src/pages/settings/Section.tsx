import { Box, Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** A part of the settings: what it is for, and what one may do. */
export function Section({
  title,
  about,
  action,
  children,
}: {
  title: string;
  about: ReactNode;
  action?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section aria-label={title}>
      <Group justify="space-between" align="flex-start" mb="md" gap="sm">
        <Box maw={640}>
          <Title order={2}>{title}</Title>
          <Text c="dimmed" size="sm" component="div">
            {about}
          </Text>
        </Box>
        {action}
      </Group>
      {children}
    </section>
  );
}
