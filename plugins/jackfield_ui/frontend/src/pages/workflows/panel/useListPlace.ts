import { useCredentialTypes, useStoredCredentials } from '../../../components/credentials/kinds';
import type { ListPlace } from '../form/useOptions';
import { usedCredentials } from '../model/credentials';
import { type DocNode, kindOf } from '../model/document';
import { useNodeType } from '../queries';

/** Where the node's lists come from: through the first of its credentials that is chosen and is here. */
export function useListPlace(node: DocNode): ListPlace {
  const { data: known } = useCredentialTypes();
  const { data: stored } = useStoredCredentials();
  const kind = kindOf(node.type);
  const { data: type } = useNodeType(kind);
  const used = known ? usedCredentials(type, node, known) : [];
  const here = new Set(stored?.map(({ id }) => id));
  const chosen = used.map((one) => node.credentials?.[one.kind]?.id).find((id) => id && here.has(id));
  return { kind, credential: chosen ?? undefined, needsCredential: used.some(({ required }) => required) };
}
