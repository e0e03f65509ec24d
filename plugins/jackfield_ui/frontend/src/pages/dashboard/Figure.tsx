import { Group, Paper, Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { messageOf } from '../../api/errors';
import { areaPath } from '../../app/areas';
import { hasArea } from '../../app/pages';
import type { Icon } from '../../icons/icon';
import classes from './dashboard.module.css';

/** One number, what it counts, and the page behind it. */
export function Figure({
  label,
  area,
  icon: Sign,
  query,
  value,
  note,
  bad = false,
}: {
  label: string;
  area: string;
  icon: Icon;
  query: { isPending: boolean; error: unknown };
  value: ReactNode;
  note?: ReactNode;
  bad?: boolean;
}) {
  const content = (
    <>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="sm" c="dimmed" className="jf-ellipsis">
          {label}
        </Text>
        <Sign size={18} stroke={1.6} color="var(--mantine-color-dimmed)" aria-hidden="true" />
      </Group>
      <div className={classes.figure}>
        {query.isPending ? <Skeleton height={28} width={64} /> : query.error ? '–' : value}
      </div>
      <Text size="xs" c={bad || query.error ? 'var(--jf-bad)' : 'dimmed'} mih="1.1rem" lineClamp={2}>
        {query.error ? messageOf(query.error) : query.isPending ? ' ' : note}
      </Text>
    </>
  );
  if (!hasArea(area)) return <Paper p="md">{content}</Paper>;
  return (
    <Paper p="md" component={Link} to={areaPath(area)} className={classes.link}>
      {content}
    </Paper>
  );
}
