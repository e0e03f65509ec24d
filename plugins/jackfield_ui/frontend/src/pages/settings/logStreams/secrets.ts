/** What a log stream keeps secret: a key that signs, and values of headers. The API shows the names of headers alone. */
import type { Schemas } from '../../../api/types';
import type { Pair } from '../../../components/KeyValueEditor';
import { t } from '../../../language/messages';

type Kind = Schemas['LogStreamShown']['kind'];

export interface Secrets {
  /** Empty: as before. */
  secret: string;
  /** The present one goes, and no other one comes. */
  unsigned: boolean;
  /** Null: as before. */
  headers: readonly Pair[] | null;
}

/** As the API takes them: null keeps what is there. A kind that has no use for a secret keeps none. */
export function sentSecrets(kind: Kind, { secret, unsigned, headers }: Secrets) {
  return {
    secret: kind !== 'http' || unsigned ? '' : secret || null,
    headers:
      kind === 'syslog' ? {} : headers && Object.fromEntries(given(headers).map(({ key, value }) => [key, value])),
  };
}

const given = (headers: readonly Pair[]) =>
  headers.map((pair) => ({ ...pair, key: pair.key.trim() })).filter(({ key, value }) => key || value);

/** With what is wrong with them: the API takes an object, in which a second one of a name would be lost. */
export function checkedHeaders(headers: readonly Pair[]): Pair[] {
  const seen = new Set<string>();
  return headers.map((pair) => {
    const name = pair.key.trim().toLowerCase();
    const again = name !== '' && seen.has(name);
    seen.add(name);
    const { error: _, ...rest } = pair;
    if (again) return { ...rest, error: t('This header exists twice.') };
    return name === '' && pair.value ? { ...rest, error: t('Enter a name for the header.') } : rest;
  });
}

export const areGood = (headers: readonly Pair[] | null): boolean => !headers?.some(({ error }) => error);
