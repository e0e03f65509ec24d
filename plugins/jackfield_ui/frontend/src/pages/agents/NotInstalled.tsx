import { Alert, Anchor, Stack, Text } from '@mantine/core';
import { Copyable } from '../../components/Copyable';
import { IconInfoCircle } from '../../icons/drawn';
import { rich, t } from '../../language/messages';
import type { AgentDetail } from './queries';

/** How one gets an agent, as its manifest says. */
export function NotInstalled({ agent: { binary, install } }: { agent: AgentDetail }) {
  const { command, homepage } = install ?? {};
  // A manifest may be anybody's.
  const page = homepage && /^https?:\/\//i.test(homepage) ? homepage : undefined;
  return (
    <Alert icon={<IconInfoCircle />} title={t('Not installed')}>
      <Stack gap="sm">
        {command ? (
          <div>
            <Text size="sm">{t('To install it, run on the daemon’s computer:')}</Text>
            <Copyable text={command} label={t('the command')} />
          </div>
        ) : (
          <Text size="sm">{t('Follow its maker’s instructions to install it.')}</Text>
        )}
        {page && (
          <Text size="sm">
            {rich('More: {page}', {
              page: (
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
              ),
            })}
          </Text>
        )}
        <Text size="sm">
          {rich(
            'The daemon looks for the program {binary} on its {code} and notices it by itself; {command} looks at once.',
            {
              binary: <b className="jf-mono">{binary}</b>,
              code: <span className="jf-mono">PATH</span>,
              command: <span className="jf-mono">jackfield agents list --detect-again</span>,
            },
          )}
        </Text>
      </Stack>
    </Alert>
  );
}
