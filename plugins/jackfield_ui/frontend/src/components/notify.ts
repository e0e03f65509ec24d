import { notifications } from '@mantine/notifications';
import { ApiError, messageOf } from '../api/errors';
import { t } from '../language/messages';

const CLOSE = { 'aria-label': t('Close') };

/** Says that something was done. For what the page shows anyway, say nothing. */
export function notifyDone(message: string): void {
  notifications.show({ message, color: 'glaze', autoClose: 4_000, closeButtonProps: CLOSE });
}

/** Shows what failed, with the server's words and the fields it names. It stays until it is closed. */
export function notifyError(error: unknown, title = t('That did not work')): void {
  // The banner says already that the daemon is away, and the login overlay that the session has ended.
  if (error instanceof ApiError && (error.code === 'AWAY' || error.code === 'SESSION_EXPIRED')) return;
  notifications.show({ title, message: explained(error), color: 'red', autoClose: false, closeButtonProps: CLOSE });
}

/** The message, and the fields with what is wrong with them. */
export function explained(error: unknown): string {
  const fields = error instanceof ApiError ? Object.entries(error.fields) : [];
  return [messageOf(error), ...fields.map(([field, why]) => `${field}: ${why}`)].join('\n');
}
