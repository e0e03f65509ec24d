import { Alert, Button, Group, TextInput, type TextInputProps } from '@mantine/core';
import { ApiError, messageOf } from '../../api/errors';
import { t } from '../../language/messages';

/** What no field of the form is to blame for. */
export function Unexplained({ error }: { error: unknown }) {
  if (!error || (error instanceof ApiError && Object.keys(error.fields).length)) return null;
  return (
    <Alert color="red" role="alert">
      {messageOf(error)}
    </Alert>
  );
}

export function Buttons({
  action,
  busy,
  disabled = false,
  danger = false,
  onClose,
}: {
  action: string;
  busy: boolean;
  disabled?: boolean;
  danger?: boolean;
  onClose: () => void;
}) {
  return (
    <Group justify="flex-end" gap="sm">
      <Button variant="default" onClick={onClose}>
        {t('Cancel')}
      </Button>
      <Button type="submit" loading={busy} disabled={disabled} color={danger ? 'red.8' : undefined}>
        {action}
      </Button>
    </Group>
  );
}

export function MailField(props: TextInputProps) {
  return (
    <TextInput
      label={t('Mail address')}
      description={t('For a forgotten password, and notices of changes')}
      type="email"
      {...props}
    />
  );
}
