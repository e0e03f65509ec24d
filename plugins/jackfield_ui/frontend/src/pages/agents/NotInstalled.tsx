import { Alert, Anchor, Stack, Text } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { Copyable } from '../../components/Copyable';
import type { AgentDetail } from './queries';

/** How one gets an agent, as its manifest says. */
export function NotInstalled({ agent: { binary, install } }: { agent: AgentDetail }) {
  const { command, homepage } = install ?? {};
  // A manifest may be anybody's.
  const page = homepage && /^https?:\/\//i.test(homepage) ? homepage : undefined;
  return (
    <Alert icon={<IconInfoCircle />} title="Not installed">
      <Stack gap="sm">
        {command ? (
          <div>
            <Text size="sm">To install it, run on the daemon’s computer:</Text>
            <Copyable text={command} label="the command" />
          </div>
        ) : (
          <Text size="sm">Install it as its maker says.</Text>
        )}
        {page && (
          <Text size="sm">
            More:{' '}
            <Anchor
              href={page}
              target="_blank"
              rel="noopener noreferrer"
              inherit
              c="inherit"
              underline="always"
              style={{ overflowWrap: 'anywhere' }}
            >
              {page}
            </Anchor>
          </Text>
        )}
        <Text size="sm">
          The daemon looks for the program <b className="jf-mono">{binary}</b> on its{' '}
          <span className="jf-mono">PATH</span> and notices it by itself;{' '}
          <span className="jf-mono">jackfield agents list --detect-again</span> looks at once.
        </Text>
      </Stack>
    </Alert>
  );
}
