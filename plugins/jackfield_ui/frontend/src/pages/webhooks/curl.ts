/** A call as it was, or as it shall be made. */
export interface Sent {
  method: string;
  url: string;
  headers: readonly (readonly [string, string])[];
  body: string;
}

/** What the history has in place of a secret. */
export const MASK = '***';

/** What every client sets by itself. */
const OWN = new Set([
  'host',
  'content-length',
  'connection',
  'accept-encoding',
  'transfer-encoding',
  'user-agent',
  'accept',
  'accept-language',
  'origin',
  'referer',
  'keep-alive',
]);

/** The headers that say something of the call, without those whose value is not kept. */
export function ownHeaders(headers: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(headers).filter(
    ([name, value]) => !OWN.has(name.toLowerCase()) && !name.toLowerCase().startsWith('sec-') && value !== MASK,
  );
}

/** The names of the headers whose value is masked. */
export function maskedNames(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).flatMap(([name, value]) => (value === MASK ? [name] : []));
}

/** The call as a command for a POSIX shell; everything in it is quoted. */
export function curl({ method, url, headers, body }: Sent): string {
  const parts = [`curl -X ${quoted(method)} ${quoted(url)}`];
  for (const [name, value] of headers) parts.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (body) parts.push(`--data-raw ${quoted(body)}`);
  return parts.join(' \\\n  ');
}

function quoted(text: string): string {
  return /^[\w./:=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The names in `:name` segments of a path. */
export function placeholders(path: string): string[] {
  return path.split('/').flatMap((part) => (part.startsWith(':') ? [part.slice(1)] : []));
}

/** The path with what stands for its `:name` segments; what is not given stays. */
export function filled(path: string, values: Readonly<Record<string, string>>): string {
  return path
    .split('/')
    .map((part) =>
      part.startsWith(':') && values[part.slice(1)] ? encodeURIComponent(values[part.slice(1)] ?? '') : part,
    )
    .join('/');
}

/** `a=1&a=2&b=` as the API wants a query: repeated names as a list. */
export function queryOf(text: string): Record<string, string | string[]> {
  const found: Record<string, string | string[]> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const before = Object.hasOwn(found, name) ? found[name] : undefined;
    found[name] = before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value];
  }
  return found;
}
