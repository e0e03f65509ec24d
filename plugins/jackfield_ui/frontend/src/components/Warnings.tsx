import { Alert, List } from '@mantine/core';
import { IconAlertTriangle } from '../icons/drawn';

/** What the daemon could not use, in its words: nothing when there is nothing. */
export function Warnings({ title, warnings }: { title: string; warnings: readonly string[] }) {
  if (warnings.length === 0) return null;
  return (
    <Alert
      color="yellow"
      icon={<IconAlertTriangle />}
      title={title}
      mb="md"
      styles={{ title: { color: 'var(--jf-warn)' } }}
    >
      <List size="sm">
        {[...new Set(warnings)].map((warning) => (
          <List.Item key={warning} style={{ overflowWrap: 'anywhere' }}>
            {warning}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
