import { ActionIcon, List, Popover, Text } from '@mantine/core';
import { IconAlertTriangle } from '../../icons/drawn';
import type { AttentionReason } from './queries';

/** A mark that shows why a live workflow, or one that is to be live, cannot start. Nothing when there are no reasons. */
export function AttentionMark({ title, reasons }: { title: string; reasons: readonly AttentionReason[] | undefined }) {
  if (!reasons?.length) return null;
  return (
    <Popover width={360} shadow="md" withArrow>
      <Popover.Target>
        <ActionIcon aria-label={title} c="var(--jf-warn)" onClick={(event) => event.stopPropagation()}>
          <IconAlertTriangle size={18} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown onClick={(event) => event.stopPropagation()}>
        <Text fw={600} mb={4}>
          {title}
        </Text>
        <Reasons reasons={reasons} />
      </Popover.Dropdown>
    </Popover>
  );
}

export function Reasons({ reasons }: { reasons: readonly AttentionReason[] }) {
  return (
    <List size="sm" spacing={4}>
      {reasons.map(({ path, message }) => (
        <List.Item key={path + message}>{message}</List.Item>
      ))}
    </List>
  );
}
