/** What the canvas does to the document. */
import { connect, type Doc, type DocNode, disconnect, freeName, namesOf, newId, type Wire } from '../model/document';
import { firstParameters } from '../model/kinds';
import { shapeOf } from '../model/shape';
import type { NodeType } from '../queries';

export interface Place {
  x: number;
  y: number;
}

/** What the palette was opened for. */
export interface Wanted {
  /** Where the new node goes; else behind `from`, else into the middle. */
  at?: Place;
  /** The end of a wire that was let go. */
  from?: { name: string; type: string; index: number; end: 'source' | 'target' };
  /** The wire that it is put on. */
  wire?: Wire;
}

const GRID = 16;
export const snapped = ({ x, y }: Place): [number, number] => [
  Math.round(x / GRID) * GRID,
  Math.round(y / GRID) * GRID,
];

/** What the wanted node has to be able to do. */
export function fits(kind: NodeType, wanted: Wanted | undefined): boolean {
  if (wanted?.wire) return kind.inputs > 0 && kind.outputs.length > 0;
  const { from } = wanted ?? {};
  if (!from) return true;
  if (from.type === 'main') return from.end === 'source' ? kind.inputs > 0 : kind.outputs.length > 0 && !kind.provides;
  return from.end === 'target' ? kind.provides === from.type : kind.accepts.includes(from.type);
}

export function added(doc: Doc, kind: NodeType, at: Place, wanted: Wanted): { doc: Doc; name: string } {
  const name = freeName(kind.displayName, namesOf(doc));
  const node: DocNode = {
    id: newId(),
    name,
    type: kind.type,
    typeVersion: kind.versions.at(-1) ?? 1,
    position: snapped(at),
    parameters: firstParameters(kind.kind),
    ...(kind.kind === 'webhook' || kind.kind === 'formTrigger' ? { webhookId: newId() } : {}),
  };
  const next = { ...doc, nodes: [...doc.nodes, node] };
  return { doc: wired(next, node, kind, wanted), name };
}

function wired(doc: Doc, node: DocNode, kind: NodeType, { from, wire }: Wanted): Doc {
  const { name } = node;
  if (wire) {
    const before = connect(disconnect(doc, [wire]), { ...wire, target: name, input: 0 });
    return connect(before, { ...wire, source: name, output: 0 });
  }
  if (!from) return doc;
  const { type, index } = from;
  if (from.end === 'source') {
    return connect(doc, { source: from.name, type, output: index, target: name, targetType: type, input: 0 });
  }
  const outputs = shapeOf(node, kind, []).outputs.length;
  if (type === 'main' && outputs === 0) return doc;
  return connect(doc, { source: name, type, output: 0, target: from.name, targetType: type, input: index });
}

/** Copies beside the originals, with the wires among them. */
export function offsetOf(doc: Doc, names: ReadonlySet<string>): Place {
  const places = doc.nodes.flatMap((node) =>
    names.has(node.name) && Array.isArray(node.position) ? [node.position as [number, number]] : [],
  );
  return { x: Math.min(...places.map(([x]) => x)) + 48, y: Math.min(...places.map(([, y]) => y)) + 48 };
}
