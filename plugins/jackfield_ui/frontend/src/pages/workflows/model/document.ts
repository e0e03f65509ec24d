/** A workflow document as it is written: every operation gives a new one, and keys that it does not know stay as they are. */

import { isRecord } from '../../../api/errors';
import { uuid } from '../../../api/uuid';

export type Json = unknown;
export type Record_ = Record<string, Json>;

export interface DocNode {
  id?: string;
  name: string;
  type: string;
  typeVersion?: number;
  position?: unknown;
  parameters?: Record_;
  disabled?: boolean;
  credentials?: Record<string, { id?: string | null; name?: string }>;
  notes?: string;
  [other: string]: Json;
}

export interface Target {
  node: string;
  type: string;
  index: number;
  [other: string]: Json;
}

export interface Doc {
  name: string;
  nodes: DocNode[];
  connections: Record<string, Json>;
  settings?: Record_ | null;
  pinData?: Record<string, Json> | null;
  [other: string]: Json;
}

/** One wire; `type` is 'main' or 'ai_...', `output` and `input` count within that type. */
export interface Wire {
  source: string;
  type: string;
  output: number;
  target: string;
  targetType: string;
  input: number;
}

const SERVICE_KEYS = new Set(['id', 'active', 'createdAt', 'updatedAt']);

/** The document in what the API gives: without what the daemon itself says of a workflow. */
export function documentOf(shown: Record_): Doc {
  const own = Object.entries(shown).filter(
    ([key, value]) => !SERVICE_KEYS.has(key) && !(key === 'version' && Number.isInteger(value)),
  );
  const found = Object.fromEntries(own);
  return {
    ...found,
    name: typeof found.name === 'string' ? found.name : '',
    nodes: nodesIn(found.nodes),
    connections: isRecord(found.connections) ? found.connections : {},
  };
}

function nodesIn(nodes: Json): DocNode[] {
  return (Array.isArray(nodes) ? nodes : []).filter(
    (node): node is DocNode => isRecord(node) && typeof node.name === 'string' && typeof node.type === 'string',
  );
}

const PREFIXES: readonly [string, string][] = [
  ['jackfield.', ''],
  ['n8n-nodes-base.', ''],
  ['@n8n/n8n-nodes-base.', ''],
  ['@n8n/n8n-nodes-langchain.', 'langchain.'],
];

/** The kind that a type means under any of its namespaces. */
export function kindOf(type: string): string {
  for (const [prefix, kept] of PREFIXES) if (type.startsWith(prefix)) return kept + type.slice(prefix.length);
  return type;
}

export function isSticky(node: DocNode): boolean {
  return kindOf(node.type) === 'stickyNote';
}

export function parametersOf(node: DocNode): Record_ {
  return isRecord(node.parameters) ? node.parameters : {};
}

export function positionOf(node: DocNode): { x: number; y: number } | undefined {
  const [x, y] = Array.isArray(node.position) ? node.position : [];
  return typeof x === 'number' && typeof y === 'number' ? { x, y } : undefined;
}

/** All wires whose form is right, in the document's order. */
export function wiresOf(connections: Record<string, Json>): Wire[] {
  return Object.entries(connections).flatMap(([source, kinds]) =>
    (isRecord(kinds) ? Object.entries(kinds) : []).flatMap(([type, outputs]) =>
      (Array.isArray(outputs) ? outputs : []).flatMap((targets, output) =>
        (Array.isArray(targets) ? targets : []).flatMap((target) =>
          isRecord(target) && typeof target.node === 'string'
            ? [
                {
                  source,
                  type,
                  output,
                  target: target.node,
                  targetType: typeof target.type === 'string' ? target.type : type,
                  input: typeof target.index === 'number' ? target.index : 0,
                },
              ]
            : [],
        ),
      ),
    ),
  );
}

function outputsOf(doc: Doc, source: string, type: string): Json[] {
  const kinds = doc.connections[source];
  const outputs = isRecord(kinds) ? kinds[type] : undefined;
  return Array.isArray(outputs) ? outputs : [];
}

function withOutputs(doc: Doc, source: string, type: string, outputs: Json[]): Doc {
  const kinds = doc.connections[source];
  const others = isRecord(kinds) ? kinds : {};
  return { ...doc, connections: { ...doc.connections, [source]: { ...others, [type]: outputs } } };
}

export function connect(doc: Doc, wanted: Wire): Doc {
  if (wanted.source === wanted.target && wanted.type !== 'main') return doc;
  const wire = numbered(doc, wanted);
  const same = (one: Wire) => JSON.stringify(one) === JSON.stringify(wire);
  if (wiresOf({ [wire.source]: doc.connections[wire.source] }).some(same)) return doc;
  const outputs = [...outputsOf(doc, wire.source, wire.type)];
  while (outputs.length <= wire.output) outputs.push([]);
  const present = outputs[wire.output];
  const target = { node: wire.target, type: wire.targetType, index: wire.input };
  outputs[wire.output] = [...(Array.isArray(present) ? present : []), target];
  return withOutputs(doc, wire.source, wire.type, outputs);
}

/** Rules of a Model Selector name its models by their inputs: a further one gets the first that is free. */
function numbered(doc: Doc, wire: Wire): Wire {
  const target = doc.nodes.find(({ name }) => name === wire.target);
  if (!target || kindOf(target.type) !== 'langchain.modelSelector' || wire.targetType === 'main') return wire;
  const there = wiresOf(doc.connections).filter((one) => one.target === wire.target && one.targetType !== 'main');
  const own = there.find(({ source }) => source === wire.source);
  if (own) return own;
  const taken = new Set(there.map(({ input }) => input));
  let input = wire.input;
  while (taken.has(input)) input += 1;
  return { ...wire, input };
}

export function disconnect(doc: Doc, wires: readonly Wire[]): Doc {
  return wires.reduce((now, wire) => {
    const outputs = outputsOf(now, wire.source, wire.type).map((targets, output) =>
      output === wire.output && Array.isArray(targets)
        ? targets.filter((one) => !(isRecord(one) && one.node === wire.target && (one.index ?? 0) === wire.input))
        : targets,
    );
    return withOutputs(now, wire.source, wire.type, outputs);
  }, doc);
}

/** A name that no other node has: the wanted one, or with a number behind it. */
export function freeName(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted;
  const stem = wanted.replace(/\d+$/, '');
  for (let number = 1; ; number += 1) if (!taken.has(`${stem}${number}`)) return `${stem}${number}`;
}

export function namesOf(doc: Doc): Set<string> {
  return new Set(doc.nodes.map(({ name }) => name));
}

export function addNode(doc: Doc, node: DocNode): Doc {
  return { ...doc, nodes: [...doc.nodes, node] };
}

export function changeNode(doc: Doc, name: string, change: (node: DocNode) => DocNode): Doc {
  let done = false;
  const nodes = doc.nodes.map((node) => {
    if (node.name !== name || done) return node;
    done = true;
    return change(node);
  });
  return { ...doc, nodes };
}

/** A key that holds its default is left out, as n8n writes it. */
export function setKey(node: DocNode, key: string, value: Json): DocNode {
  const { [key]: _, ...others } = node;
  return (value === undefined ? others : { ...node, [key]: value }) as DocNode;
}

export function move(doc: Doc, places: ReadonlyMap<string, { x: number; y: number }>): Doc {
  const nodes = doc.nodes.map((node) => {
    const place = places.get(node.name);
    return place ? { ...node, position: [Math.round(place.x), Math.round(place.y)] } : node;
  });
  return { ...doc, nodes };
}

/** Whether nobody has placed its nodes: an agent's document, or one of another program. */
export function needsLayout(doc: Doc): boolean {
  const nodes = doc.nodes.filter((node) => !isSticky(node));
  if (nodes.some((node) => !positionOf(node))) return true;
  const places = new Set(nodes.map((node) => JSON.stringify(node.position)));
  return nodes.length > 2 && places.size === 1;
}

export function removeNodes(doc: Doc, names: ReadonlySet<string>): Doc {
  const wires = wiresOf(doc.connections).filter(({ target }) => names.has(target));
  const left = disconnect(doc, wires);
  const connections = Object.fromEntries(Object.entries(left.connections).filter(([name]) => !names.has(name)));
  const nodes = left.nodes.filter(({ name }) => !names.has(name));
  return { ...left, nodes, connections, ...without(left.pinData, names) };
}

function without(pinData: Doc['pinData'], names: ReadonlySet<string>): Partial<Doc> {
  if (!isRecord(pinData)) return {};
  return { pinData: Object.fromEntries(Object.entries(pinData).filter(([name]) => !names.has(name))) };
}

/** With the wires that name it, its pinned data, and the expressions that speak of it. */
export function renameNode(doc: Doc, from: string, wanted: string): Doc {
  const to = freeName(wanted.trim() || from, new Set([...namesOf(doc)].filter((name) => name !== from)));
  if (to === from) return doc;
  const renamed = new Map([[from, to]]);
  const nodes = doc.nodes.map((node) => ({
    ...node,
    name: renamed.get(node.name) ?? node.name,
    ...(node.parameters ? { parameters: inExpressions(node.parameters, renamed) as Record_ } : {}),
  }));
  const connections = renamedConnections(doc.connections, renamed);
  const pins = isRecord(doc.pinData) ? { pinData: renamedKeys(doc.pinData, renamed) } : {};
  return { ...doc, nodes, connections, ...pins };
}

function renamedKeys(given: Record_, renamed: ReadonlyMap<string, string>): Record_ {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [renamed.get(name) ?? name, value]));
}

export function renamedConnections(connections: Record<string, Json>, renamed: ReadonlyMap<string, string>) {
  const target = (one: Json): Json =>
    isRecord(one) && typeof one.node === 'string' ? { ...one, node: renamed.get(one.node) ?? one.node } : one;
  const kinds = (given: Json): Json =>
    isRecord(given)
      ? Object.fromEntries(
          Object.entries(given).map(([type, outputs]) => [
            type,
            Array.isArray(outputs)
              ? outputs.map((targets) => (Array.isArray(targets) ? targets.map(target) : targets))
              : outputs,
          ]),
        )
      : given;
  return Object.fromEntries(
    Object.entries(connections).map(([name, given]) => [renamed.get(name) ?? name, kinds(given)]),
  );
}

const REFERENCES = /(\$\(\s*|\$node\[\s*|\$items\(\s*)(["'])((?:\\.|(?!\2).)*)\2/g;

/** Names of nodes in the expressions of parameters. */
export function inExpressions(value: Json, renamed: ReadonlyMap<string, string>): Json {
  if (typeof value === 'string') {
    return value.replace(REFERENCES, (whole, before: string, quote: string, name: string) => {
      const next = renamed.get(name.replace(/\\(.)/g, '$1'));
      return next === undefined ? whole : `${before}${quote}${next.replaceAll(/[\\'"]/g, '\\$&')}${quote}`;
    });
  }
  if (Array.isArray(value)) return value.map((one) => inExpressions(one, renamed));
  if (isRecord(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inExpressions(one, renamed)]));
  }
  return value;
}

/** A new identity for a node that has none, or whose own is taken. */
export function newId(): string {
  return uuid();
}
