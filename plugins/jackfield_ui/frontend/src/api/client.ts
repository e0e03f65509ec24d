import createClient from 'openapi-fetch';
import { connection } from './connection';
import { away, errorOf, isRecord } from './errors';
import type { paths } from './schema';

/** Called at a 401 of the session; true when the session is there again and the request may be repeated. */
type Renew = () => Promise<boolean>;

const SESSION = '/api/session';
const SESSION_CODES = new Set(['SESSION_EXPIRED', 'AUTH_REQUIRED']);

let renew: Renew = async () => false;

export function onUnauthorized(handler: Renew): void {
  renew = handler;
}

/** `fetch` that throws `ApiError` for everything but success, notices a daemon that is away, and renews the session once. */
export async function send(request: Request): Promise<Response> {
  const again = request.clone();
  const answer = await reach(request);
  if (answer.ok) return answer;
  const error = errorOf(answer.status, await json(answer), answer.headers);
  const sessionEnded = error.status === 401 && SESSION_CODES.has(error.code);
  if (sessionEnded && !new URL(request.url).pathname.startsWith(SESSION) && (await renew())) {
    const second = await reach(again);
    if (second.ok) return second;
    throw errorOf(second.status, await json(second), second.headers);
  }
  throw error;
}

async function reach(request: Request): Promise<Response> {
  try {
    const answer = await fetch(request);
    connection.reached();
    return answer;
  } catch (problem) {
    if (request.signal.aborted) throw problem;
    connection.lost();
    throw away();
  }
}

async function json(answer: Response): Promise<unknown> {
  try {
    return await answer.json();
  } catch {
    return undefined;
  }
}

/** The typed client: `api.GET('/api/v1/workflows/{workflow_id}', {params: {path: {workflow_id}}})`. Never answers with `error`: it throws `ApiError`. */
export const api = createClient<paths>({ fetch: send });

type Call<Body> = Promise<{ data?: Body; response: Response }>;

/** The whole body: for `/api/v1`, whose bodies are bare. */
export async function body<Body>(call: Call<Body>): Promise<Body> {
  return (await call).data as Body;
}

/** What is in the envelope of `/api`: `{success, data}`. */
export async function data<Body extends { data?: unknown }>(call: Call<Body>): Promise<Body['data']> {
  return (await body(call)).data;
}

export type Query = Record<string, string | number | boolean | null | undefined>;

/** Path with a query; what is undefined, null or empty is left out. */
export function withQuery(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value));
  }
  const text = search.toString();
  return text ? `${path}?${text}` : path;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface Options {
  query?: Query;
  json?: unknown;
  /** Only while this is still the version that is stored: what an answer had as `tag`. */
  ifMatch?: string | undefined;
  signal?: AbortSignal;
}

/**
 * For what /openapi.json does not describe (queries of lists, for one). Takes the data out of the envelope of `/api`;
 * bodies of `/api/v1` come as they are.
 */
export async function request<Result>(method: Method, path: string, options: Options = {}): Promise<Result> {
  return (await tagged<Result>(method, path, options)).value;
}

/** The same, with the version that the answer is of. */
export async function tagged<Result>(
  method: Method,
  path: string,
  { query, json: body, ifMatch, signal }: Options = {},
): Promise<{ value: Result; tag: string | undefined }> {
  const headers = new Headers();
  if (body !== undefined) headers.set('content-type', 'application/json');
  if (ifMatch !== undefined) headers.set('if-match', ifMatch);
  const sent = new Request(new URL(withQuery(path, query), location.origin), {
    method,
    headers,
    signal: signal ?? null,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = await send(sent);
  const whole = answer.status === 204 ? undefined : await json(answer);
  const enveloped = isRecord(whole) && whole.success === true && !path.startsWith('/api/v1/');
  return { value: (enveloped ? whole.data : whole) as Result, tag: answer.headers.get('etag') ?? undefined };
}

/** A path segment made of data. */
export const segment = encodeURIComponent;
