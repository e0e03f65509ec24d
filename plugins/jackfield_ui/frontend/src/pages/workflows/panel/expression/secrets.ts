/** Names of secrets that are kept elsewhere; their values never come to the browser. */
import type { QueryClient } from '@tanstack/react-query';
import { api, body } from '../../../../api/client';

/** What may follow each name; nothing follows the last name of a path. */
export interface SecretNames {
  readonly [name: string]: SecretNames;
}

export const NO_SECRETS: SecretNames = {};

const KEPT_MS = 60_000;
const NAME = /\.([\p{L}_$][\p{L}\p{N}_$]*)|\[("(?:[^"\\]|\\.)*")\]/gu;

/** Of references such as `$secrets.vault.app["api-key"]`, with the sources themselves. */
export function namesIn(sources: readonly string[], references: readonly string[]): SecretNames {
  const root = new Names();
  for (const source of sources) root.at(source);
  for (const reference of references) {
    let place = root;
    for (const [, plain, quoted] of reference.matchAll(NAME)) place = place.at(plain ?? JSON.parse(quoted ?? '""'));
  }
  return root.shown();
}

/** A name may be `__proto__`, which an object would take for something else. */
class Names {
  private readonly below = new Map<string, Names>();

  at(name: string): Names {
    const found = this.below.get(name) ?? new Names();
    this.below.set(name, found);
    return found;
  }

  shown(): SecretNames {
    return Object.fromEntries([...this.below].map(([name, names]) => [name, names.shown()]));
  }
}

/** None for who may write no credentials. A source that does not answer has only its own name. */
export function readSecretNames(client: QueryClient): Promise<SecretNames> {
  return client
    .fetchQuery({ queryKey: ['secret-names'], queryFn: ({ signal }) => read(signal), staleTime: KEPT_MS, retry: false })
    .catch(() => NO_SECRETS);
}

async function read(signal: AbortSignal): Promise<SecretNames> {
  const sources = (await body(api.GET('/api/v1/secret-sources', { signal }))).data.map(({ name }) => name);
  const answers = await Promise.allSettled(
    sources.map((name) => body(api.GET('/api/v1/secret-sources/{name}/names', { params: { path: { name } }, signal }))),
  );
  const references = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value.references : []));
  return namesIn(sources, references);
}
