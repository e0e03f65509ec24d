import { Paper, Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './blocks.module.css';

/** A sum with its name above and a remark below. Without a value: it is on its way. */
export function Figure({ label, value, children }: { label: string; value: ReactNode; children: ReactNode }) {
  return (
    <Paper p="md" role="group" aria-label={label}>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <div className={classes.figure}>{value ?? <Skeleton height={28} width={72} />}</div>
      <Text size="xs" c="dimmed" mih="1.1rem" component="div">
        {children}
      </Text>
    </Paper>
  );
}
