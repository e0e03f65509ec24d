import { Button, Group, Stack, Text } from '@mantine/core';
import { CopyIcon } from '../../components/Copyable';
import { t } from '../../language/messages';
import classes from './settings.module.css';

/** A key that was just made, in the dialog that shows it for the only time. */
export function SecretOnce({
  name,
  secret,
  testId,
  onClose,
}: {
  name: string;
  secret: string;
  testId: string;
  onClose: () => void;
}) {
  return (
    <Stack>
      <Text>
        {t(
          'This is the key “{name}”. It is shown this once: afterwards it is kept as a hash only, and nobody can read it again.',
          { name },
        )}
      </Text>
      <Group gap="sm" wrap="nowrap" align="flex-start">
        <code className={classes.secret} data-testid={testId}>
          {secret}
        </code>
        <CopyIcon text={secret} label={t('the key')} />
      </Group>
      <Group justify="flex-end">
        <Button onClick={onClose}>{t('I have copied it')}</Button>
      </Group>
    </Stack>
  );
}
