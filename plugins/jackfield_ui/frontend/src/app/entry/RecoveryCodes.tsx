import { Button, Group, Stack, Text } from '@mantine/core';
import { CopyIcon } from '../../components/Copyable';

/** New recovery codes, shown for the only time. Without any there is nothing to show but the end. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  return (
    <Stack>
      {codes.length > 0 ? (
        <>
          <Text>
            Keep these recovery codes in a safe place. Each lets you in once, with your password, when you have lost
            your second factor.
          </Text>
          <Group gap="sm" wrap="nowrap" align="flex-start">
            <pre className="jf-mono" data-testid="recovery-codes">
              {codes.join('\n')}
            </pre>
            <CopyIcon text={codes.join('\n')} label="the recovery codes" />
          </Group>
        </>
      ) : (
        <Text>It is set up. Your recovery codes stay as they were.</Text>
      )}
      <Button onClick={onDone}>{codes.length > 0 ? 'I have kept them' : 'Continue'}</Button>
    </Stack>
  );
}
