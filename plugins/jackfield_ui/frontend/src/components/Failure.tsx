import { Alert, Button, Stack, Text } from '@mantine/core';
import { ApiError } from '../api/errors';
import { IconAlertTriangle } from '../icons/drawn';
import { rich, t } from '../language/messages';
import { explained } from './notify';

/** What could not be read, in place of it, with a way to try again. */
export function Failure({
  error,
  onRetry,
  title = t('This could not be read'),
}: {
  error: unknown;
  onRetry?: () => void;
  title?: string;
}) {
  const id = error instanceof ApiError ? error.requestId : undefined;
  return (
    <Alert color="red" icon={<IconAlertTriangle />} title={title} role="alert">
      <Stack gap="sm" align="flex-start">
        <Text style={{ whiteSpace: 'pre-line' }}>{explained(error)}</Text>
        {id && (
          <Text size="sm" c="dimmed">
            {rich('Request {id}', { id: <span className="jf-mono">{id}</span> })}
          </Text>
        )}
        {onRetry && (
          <Button variant="default" onClick={onRetry}>
            {t('Try again')}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
