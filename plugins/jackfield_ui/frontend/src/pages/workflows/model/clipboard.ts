/** What goes through the clipboard: n8n's own form, whole workflows and fragments alike. */
import { isRecord } from '../../../api/errors';
import {
  type Doc,
  type DocNode,
  disconnect,
  documentOf,
  freeName,
  inExpressions,
  namesOf,
  newId,
  positionOf,
  renamedConnections,
  wiresOf,
} from './document';

/** The nodes of these names with the wires among them, as text. */
export function copied(doc: Doc, names: ReadonlySet<string>): string {
  const nodes = doc.nodes.filter(({ name }) => names.has(name)).map((node) => ({ ...node, type: n8nType(node.type) }));
  let connections: Record<string, unknown> = {};
  for (const wire of wiresOf(doc.connections)) {
    if (!names.has(wire.source) || !names.has(wire.target)) continue;
    const kinds = (connections[wire.source] ?? {}) as Record<string, unknown[][]>;
    const outputs = [...(kinds[wire.type] ?? [])];
    while (outputs.length <= wire.output) outputs.push([]);
    const target = { node: wire.target, type: wire.targetType, index: wire.input };
    outputs[wire.output] = [...(outputs[wire.output] ?? []), target];
    connections = { ...connections, [wire.source]: { ...kinds, [wire.type]: outputs } };
  }
  const pins = Object.entries(doc.pinData ?? {}).filter(([name]) => names.has(name));
  return JSON.stringify({ nodes, connections, pinData: Object.fromEntries(pins) }, null, 2);
}

/** Kinds that n8n has no node for; they keep our name. */
const ONLY_HERE = new Set(['jackfield.agent', 'jackfield.terminalSession']);

/** The type's name in n8n, so that what is copied here can be pasted there. */
export function n8nType(type: string): string {
  const kind = type.startsWith('jackfield.') ? type.slice('jackfield.'.length) : undefined;
  if (kind === undefined || ONLY_HERE.has(type)) return type;
  const part = kind.startsWith('langchain.') ? kind.slice('langchain.'.length) : undefined;
  return part === undefined ? `n8n-nodes-base.${kind}` : `@n8n/n8n-nodes-langchain.${part}`;
}

/** The workflow or fragment in a text; undefined when it is neither. */
export function parsed(text: string): Doc | undefined {
  if (!text.trimStart().startsWith('{') && !text.trimStart().startsWith('[')) return undefined;
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (Array.isArray(found)) {
    found = found.length === 1 && isRecord(found[0]) && 'nodes' in found[0] ? found[0] : { nodes: found };
  }
  if (!isRecord(found)) return undefined;
  if (!('nodes' in found) && typeof found.name === 'string' && typeof found.type === 'string') {
    found = { nodes: [found] };
  }
  const doc = documentOf(found as Record<string, unknown>);
  return doc.nodes.length ? doc : undefined;
}

/** The wires among its own nodes: exports name removed nodes, too, and the document may have others of these names. */
function within({ nodes, connections }: Doc): Doc['connections'] {
  const names = new Set(nodes.map(({ name }) => name));
  const own = Object.entries(connections).filter(([name]) => names.has(name));
  return disconnect(
    { name: '', nodes, connections: Object.fromEntries(own) },
    wiresOf(Object.fromEntries(own)).filter(({ target }) => !names.has(target)),
  ).connections;
}

/** Puts a fragment into a document: new names where they are taken, the middle of it at `at`. */
export function pasted(doc: Doc, fragment: Doc, at: { x: number; y: number }): { doc: Doc; names: string[] } {
  const taken = namesOf(doc);
  const ids = new Set(doc.nodes.map(({ id }) => id));
  const renamed = new Map<string, string>();
  for (const { name } of fragment.nodes) {
    if (renamed.has(name)) continue;
    const free = freeName(name, taken);
    taken.add(free);
    renamed.set(name, free);
  }
  const places = fragment.nodes.map(positionOf);
  const known = places.filter((place) => place !== undefined);
  const left = Math.min(...known.map(({ x }) => x), known.length ? Infinity : 0);
  const top = Math.min(...known.map(({ y }) => y), known.length ? Infinity : 0);
  const nodes = fragment.nodes.map((node, index): DocNode => {
    const place = places[index] ?? { x: left + index * 208, y: top };
    const free = node.id && !ids.has(node.id) ? node.id : newId();
    ids.add(free);
    return {
      ...node,
      id: free,
      name: renamed.get(node.name) ?? node.name,
      position: [Math.round((at.x + place.x - left) / 16) * 16, Math.round((at.y + place.y - top) / 16) * 16],
      ...(node.parameters ? { parameters: inExpressions(node.parameters, renamed) as Record<string, unknown> } : {}),
    };
  });
  const pins = Object.entries(isRecord(fragment.pinData) ? fragment.pinData : {}).map(
    ([name, items]) => [renamed.get(name) ?? name, items] as const,
  );
  const whole: Doc = {
    // Into an empty document everything comes along: settings, and what only n8n knows.
    ...(doc.nodes.length ? {} : { ...fragment, ...doc, settings: { ...fragment.settings, ...doc.settings } }),
    ...(doc.nodes.length ? doc : {}),
    name: doc.name,
    nodes: [...doc.nodes, ...nodes],
    connections: {
      ...doc.connections,
      ...renamedConnections(doc.nodes.length ? within(fragment) : fragment.connections, renamed),
    },
  };
  if (pins.length || doc.pinData) whole.pinData = { ...doc.pinData, ...Object.fromEntries(pins) };
  return { doc: whole, names: nodes.map(({ name }) => name) };
}
