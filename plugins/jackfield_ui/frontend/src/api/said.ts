/** What the daemon's codes mean. Its own sentences are English, and tell more exactly what happened. */
import { language, t } from '../language/messages';

/** The codes of `jackfield.api.errors` that people see. */
export const SAID: Readonly<Record<string, () => string>> = {
  VALIDATION_ERROR: () => t('The daemon does not accept a value.'),
  AUTH_REQUIRED: () => t('You have to log in for this.'),
  TOKEN_EXPIRED: () => t('The login has expired. Log in again.'),
  TOKEN_INVALID: () => t('The login is not valid. Log in again.'),
  SESSION_EXPIRED: () => t('The session has ended. Log in again.'),
  INVALID_CREDENTIALS: () => t('The user name or the password is wrong.'),
  ACCESS_DENIED: () => t('You are not allowed to do this.'),
  NOT_FOUND: () => t('This does not exist, or you have no access to it.'),
  REQUEST_TIMEOUT: () => t('The request did not arrive in time.'),
  CONFLICT: () => t('This conflicts with the current state.'),
  DATA_DAMAGED: () => t('The record is damaged. Restore it from a backup, or delete it.'),
  PAYLOAD_TOO_LARGE: () => t('The request is larger than the daemon accepts.'),
  UNSUPPORTED_MEDIA_TYPE: () => t('The daemon does not read this kind of file.'),
  RATE_LIMITED: () => t('There were too many requests. Wait a moment, and try again.'),
  EXECUTION_FAILED: () => t('The workflow failed.'),
  EXECUTION_TIMEOUT: () => t('The workflow gave no answer in time.'),
  WORKFLOW_INACTIVE: () => t('The workflow is not active.'),
  STORE_UNAVAILABLE: () => t('The database does not answer. Nothing was changed; try again.'),
  MEMORY_EXHAUSTED: () => t('Too many large requests run at once. Try again in a moment.'),
  MEMORY_SHORT: () => t('The daemon has too little memory left.'),
  UPSTREAM_FAILED: () => t('Another server did not answer as expected.'),
  NOT_SUPPORTED: () => t('Jackfield does not offer this.'),
  CONFIGURATION: () => t('The configuration is not valid.'),
  INTERNAL: () => t('An error occurred in the daemon. Its log has the details.'),
};

/** The code in the language of the interface; undefined in English, and for a code that it does not know. */
export function said(code: string): string | undefined {
  return language() === 'en' ? undefined : Object.hasOwn(SAID, code) ? SAID[code]?.() : undefined;
}
