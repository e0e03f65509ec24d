/** One error for both envelopes of the daemon, and for a daemon that does not answer. */
import { t } from '../language/messages';
import { said } from './said';

export class ApiError extends Error {
  readonly status: number;
  /** The server's code, such as `VALIDATION_ERROR`; `AWAY` when the daemon was not reached. */
  readonly code: string;
  /** What is wrong with which field, by its path: `nodes[2].name`. */
  readonly fields: Readonly<Record<string, string>>;
  readonly requestId: string | undefined;
  /** Seconds to wait before another try, where the server says so. */
  readonly retryAfter: number | undefined;
  /** The execution that tells more, where there is one. */
  readonly executionId: string | undefined;

  constructor(
    status: number,
    code: string,
    message: string,
    more: { fields?: Record<string, string>; requestId?: string; retryAfter?: number; executionId?: string } = {},
  ) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.fields = more.fields ?? {};
    this.requestId = more.requestId;
    this.retryAfter = more.retryAfter;
    this.executionId = more.executionId;
  }
}

export function away(): ApiError {
  return new ApiError(0, 'AWAY', t('The daemon does not answer.'));
}

/** The error that a body of either envelope describes; anything else becomes one that names the status. */
export function errorOf(status: number, body: unknown, headers: Headers): ApiError {
  const said = isRecord(body) ? body : {};
  // /api says {success: false, error, code}; /api/v1 says {error, code, message}, where `error` is only the class.
  const message =
    text(said.message) ?? text(said.error) ?? t('The daemon answered with the status {status}.', { status });
  const wait = Number(headers.get('retry-after'));
  return new ApiError(status, text(said.code) ?? 'HTTP', message, {
    fields: fieldsOf(said.details),
    requestId: text(said.requestId) ?? headers.get('x-request-id') ?? undefined,
    retryAfter: wait > 0 ? wait : undefined,
    executionId: text(said.executionId),
  });
}

function fieldsOf(details: unknown): Record<string, string> {
  if (!isRecord(details)) return {};
  return Object.fromEntries(
    Object.entries(details).map(([field, why]) => [field, typeof why === 'string' ? why : JSON.stringify(why)]),
  );
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What to show of anything thrown: in the language of the interface where that is known, and the daemon's sentence. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const known = error instanceof ApiError ? said(error.code) : undefined;
  return known ? `${known}\n${error.message}` : error.message;
}
