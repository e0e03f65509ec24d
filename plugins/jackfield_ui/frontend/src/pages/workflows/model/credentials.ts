/** Which kinds of credentials a node takes. Pure. */
import type { NodeType } from '../queries';
import { type DocNode, parametersOf } from './document';

export interface Used {
  kind: string;
  required: boolean;
}

/** Those of its type that count with its parameters, then what it names besides. known: kinds that can be stored. */
export function usedCredentials(
  type: NodeType | undefined,
  node: DocNode,
  known: ReadonlyMap<string, unknown>,
): Used[] {
  const parameters = parametersOf(node);
  const found = new Map<string, boolean>();
  for (const { name, parameter, required, when } of type?.credentials ?? []) {
    const kind = name || (parameter ? parameters[parameter] : '');
    if (
      typeof kind === 'string' &&
      known.has(kind) &&
      counts(when ?? {}, { ...parameters, '@version': String(node.typeVersion ?? '') })
    ) {
      found.set(kind, required || (found.get(kind) ?? false));
    }
  }
  for (const kind of Object.keys(node.credentials ?? {})) if (!found.has(kind)) found.set(kind, false);
  return [...found].map(([kind, required]) => ({ kind, required }));
}

function counts(when: Readonly<Record<string, readonly string[]>>, parameters: Record<string, unknown>): boolean {
  return Object.entries(when).every(([name, values]) => {
    const given = parameters[name] ?? '';
    // Nobody knows yet what an expression gives.
    return typeof given !== 'string' || given.startsWith('=') || values.includes(given);
  });
}
