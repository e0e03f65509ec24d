import createClient from 'openapi-fetch';
import { connection } from './connection';
import { away, errorOf } from './errors';
import { askAboutProject } from './project';
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
export const api = createClient<paths>({ fetch: send, querySerializer: queryText });
api.use({ onRequest: ({ request, schemaPath }) => askAboutProject(schemaPath, request) });

/** Without what is undefined, null or empty. */
function queryText(query: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return String(new URLSearchParams(given.map(([name, value]) => [name, String(value)])));
}

/** An address for what the browser reads by itself: a stream of events, a file to save. */
export function address<Path extends keyof paths & string>(path: Path, query: Parameters<Path>): string {
  const text = queryText(query);
  return text ? `${path}?${text}` : path;
}

type Parameters<Path extends keyof paths> = paths[Path] extends { get: { parameters: { query?: infer Query } } }
  ? NonNullable<Query>
  : never;

type Call<Body> = Promise<{ data?: Body; response: Response }>;

/** The whole body: for `/api/v1`, whose bodies are bare. */
export async function body<Body>(call: Call<Body>): Promise<Body> {
  return (await call).data as Body;
}

/** What is in the envelope of `/api`: `{success, data}`. */
export async function data<Body extends { data?: unknown }>(call: Call<Body>): Promise<Body['data']> {
  return (await body(call)).data;
}

/** A path segment made of data. */
export const segment = encodeURIComponent;
