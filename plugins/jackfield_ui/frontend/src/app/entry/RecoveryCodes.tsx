import { Button, Group, Stack, Text } from '@mantine/core';
import { CopyIcon } from '../../components/Copyable';
import { t } from '../../language/messages';

/** New recovery codes, shown for the only time. Without any there is nothing to show but the end. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  return (
    <Stack>
      {codes.length > 0 ? (
        <>
          <Text>
            {t(
              'Keep these recovery codes in a safe place. Each lets you in once, with your password, when you have lost your second factor.',
            )}
          </Text>
          <Group gap="sm" wrap="nowrap" align="flex-start">
            <pre className="jf-mono" data-testid="recovery-codes">
              {codes.join('\n')}
            </pre>
            <CopyIcon text={codes.join('\n')} label={t('the recovery codes')} />
          </Group>
        </>
      ) : (
        <Text>{t('It is set up. Your recovery codes stay as they were.')}</Text>
      )}
      <Button onClick={onDone}>{codes.length > 0 ? t('I have kept them') : t('Continue')}</Button>
    </Stack>
  );
}
