/** Differences between two versions of a document. Pure. */

import { isRecord } from '../../../api/errors';
import { t } from '../../../language/messages';
import type { Values } from '../form/model';
import { type Doc, type DocNode, parametersOf, type Wire, wiresOf } from './document';

export interface FieldChange {
  path: string;
  before: unknown;
  after: unknown;
}

export interface NodeChange {
  name: string;
  type: string;
  /** Of its type. */
  version: number | undefined;
  /** Its name before, where it was another. */
  was?: string;
  fields: FieldChange[];
  /** Its parameters now, and before. */
  states: readonly [Values, Values];
}

export interface Difference {
  added: string[];
  removed: string[];
  changed: NodeChange[];
  moved: number;
  wiresAdded: Wire[];
  wiresRemoved: Wire[];
  /** Everything that is no node and no wire: the name, settings, pinned data. */
  rest: FieldChange[];
}

export function difference(before: Doc, after: Doc): Difference {
  const left = new Set(before.nodes);
  const partners = pairs(before, after);
  const found: Difference = {
    added: [],
    removed: [],
    changed: [],
    moved: 0,
    wiresAdded: [],
    wiresRemoved: [],
    rest: [],
  };
  const renamed = new Map<string, string>();
  for (const node of after.nodes) {
    const old = partners.get(node);
    if (!old) {
      found.added.push(node.name);
      continue;
    }
    left.delete(old);
    renamed.set(old.name, node.name);
    if (JSON.stringify(old.position) !== JSON.stringify(node.position)) found.moved += 1;
    const fields = changes(plain(old), plain(node), '');
    if (fields.length || old.name !== node.name) {
      const { name, type, typeVersion: version } = node;
      const states = [parametersOf(node), parametersOf(old)] as const;
      found.changed.push({ name, type, version, fields, states, ...(old.name === name ? {} : { was: old.name }) });
    }
  }
  found.removed = [...left].map(({ name }) => name);
  const name = (wire: Wire): Wire => ({
    ...wire,
    source: renamed.get(wire.source) ?? wire.source,
    target: renamed.get(wire.target) ?? wire.target,
  });
  const old = wiresOf(before.connections).map(name);
  const now = wiresOf(after.connections);
  const key = (wire: Wire) => JSON.stringify(wire);
  const oldKeys = new Set(old.map(key));
  const nowKeys = new Set(now.map(key));
  found.wiresAdded = now.filter((wire) => !oldKeys.has(key(wire)));
  found.wiresRemoved = old.filter((wire) => !nowKeys.has(key(wire)));
  const { nodes: _, connections: __, ...restBefore } = before;
  const { nodes: ___, connections: ____, ...restAfter } = after;
  found.rest = changes(restBefore, restAfter, '');
  return found;
}

export function isSame({ added, removed, changed, moved, wiresAdded, wiresRemoved, rest }: Difference): boolean {
  return ![added, removed, changed, wiresAdded, wiresRemoved, rest].some((list) => list.length) && moved === 0;
}

/** Of each node of `after` the same one of `before`: by its id, else by its name. */
export function pairs(before: Doc, after: Doc): ReadonlyMap<DocNode, DocNode> {
  const left = new Set(before.nodes);
  const found = new Map<DocNode, DocNode>();
  const pair = (same: (node: DocNode, other: DocNode) => boolean) => {
    for (const node of after.nodes) {
      const other = found.has(node) ? undefined : [...left].find((one) => same(node, one));
      if (!other) continue;
      found.set(node, other);
      left.delete(other);
    }
  };
  pair((node, { id }) => id !== undefined && id === node.id);
  pair((node, { name }) => name === node.name);
  return found;
}

export function wireText({ source, target, type, output }: Wire): string {
  const ends = t('{source} to {target}', { source, target });
  if (type !== 'main') return `${ends} (${type})`;
  return output ? t('{source} to {target} (output {output})', { source, target, output }) : ends;
}

/** Of a node that one of the versions does not have. */
export function wholeChange(node: DocNode): NodeChange {
  const { name, type, typeVersion: version } = node;
  const parameters = parametersOf(node);
  return { name, type, version, fields: changes({}, parameters, 'parameters'), states: [parameters, parameters] };
}

function plain({ position: _, name: __, ...node }: DocNode): Record<string, unknown> {
  return node;
}

const MOST = 200;

function changes(before: unknown, after: unknown, path: string, found: FieldChange[] = []): FieldChange[] {
  if (found.length >= MOST || JSON.stringify(before) === JSON.stringify(after)) return found;
  const keys = Array.isArray(before) && Array.isArray(after) ? indexes(before, after) : keysOf(before, after);
  if (!keys) {
    found.push({ path, before, after });
    return found;
  }
  for (const key of keys) {
    const at = typeof key === 'number' ? `${path}[${key}]` : path ? `${path}.${key}` : key;
    changes(member(before, key), member(after, key), at, found);
  }
  return found;
}

function indexes(before: unknown[], after: unknown[]): number[] {
  return Array.from({ length: Math.max(before.length, after.length) }, (_, index) => index);
}

function keysOf(before: unknown, after: unknown): string[] | undefined {
  return isRecord(before) && isRecord(after)
    ? [...new Set([...Object.keys(before), ...Object.keys(after)])]
    : undefined;
}

function member(value: unknown, key: string | number): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string | number, unknown>)[key] : undefined;
}
