/** Which picture a node type of a service has. The sets are CC0; see `docs/dependencies.md`. */
import LOGOS from './logos.json';

const TABLE: Readonly<Record<string, string>> = LOGOS;
/** A picture that a plugin's browser extension has. */
const BROUGHT = /^[a-z0-9-]+\/[a-z0-9-]+$/;
const FORMS = /(?:Trigger|Tool)$/;
const ROLES = /^(?:lmChat|lm|embeddings|vectorStore|memory|tool|reranker|document)(?=[A-Z])/;

export interface Logo {
  address: string;
  /** It has one colour, which is ours to choose. */
  plain: boolean;
}

/** icon: a name that the node's plugin gives, which comes before what its kind tells. */
export function logoOf(kind: string, icon = ''): Logo | undefined {
  if (BROUGHT.test(icon)) return { address: `${import.meta.env.BASE_URL}extensions/${icon}.svg`, plain: false };
  const stem = (kind.split('.').at(-1) ?? kind).replace(FORMS, '');
  const part = stem.replace(ROLES, '');
  const names = [icon, stem, part.charAt(0).toLowerCase() + part.slice(1)];
  const name = names.find((one) => Object.hasOwn(TABLE, one));
  if (name === undefined) return undefined;
  return { address: `${import.meta.env.BASE_URL}logos/${name}.svg`, plain: TABLE[name]?.startsWith('simple') ?? false };
}
