/** Three versions of a workflow made one: the draft's changes since it began, upon what is on the canvas now. Pure. */
import { isRecord } from '../../../api/errors';
import { pairs } from '../model/diff';
import {
  changeNode,
  connect,
  type Doc,
  type DocNode,
  disconnect,
  freeName,
  namesOf,
  type Record_,
  removeNodes,
  renameNode,
  type Wire,
  wiresOf,
} from '../model/document';

export const isEqual = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The change from `base` to `draft`, made to `present`: objects key by key, everything else as a whole. */
export function carriedValue(base: unknown, draft: unknown, present: unknown): unknown {
  if (isEqual(base, draft) || isEqual(draft, present)) return present;
  if (!isRecord(base) || !isRecord(draft) || !isRecord(present)) return draft;
  const keys = new Set([...Object.keys(present), ...Object.keys(draft)]);
  const values = [...keys].map((key) => [key, carriedValue(base[key], draft[key], present[key])] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** Whether both have changed the same place, and not alike. */
export function isClash(base: unknown, draft: unknown, present: unknown): boolean {
  if (isEqual(base, draft) || isEqual(base, present) || isEqual(draft, present)) return false;
  if (!isRecord(base) || !isRecord(draft) || !isRecord(present)) return true;
  return Object.keys({ ...base, ...draft, ...present }).some((key) => isClash(base[key], draft[key], present[key]));
}

/** The canvas with everything that the draft has changed since `base`. Nodes are the same by id, else by name. */
export function carried(base: Doc, draft: Doc, present: Doc): Doc {
  const named = withFreeNames(base, draft, present);
  const began = pairs(base, named);
  const kept = pairs(present, base);
  const going = new Set(base.nodes);
  const names = new Map<string, string>();
  const added: DocNode[] = [];
  let goal = present;
  for (const node of named.nodes) {
    const old = began.get(node);
    if (old) going.delete(old);
    const now = old ? kept.get(old) : standing(present, node);
    if (!now) {
      if (!old) added.push(node);
      continue;
    }
    const at = goal.nodes.findIndex(({ name }) => name === now.name);
    if (old && old.name !== node.name) goal = renameNode(goal, now.name, node.name);
    const name = goal.nodes[at]?.name ?? now.name;
    names.set(node.name, name);
    goal = changeNode(goal, name, (present) => carriedNode(old ?? present, node, present));
  }
  goal = removeNodes(goal, new Set([...going].flatMap((node) => kept.get(node)?.name ?? [])));
  goal = { ...goal, nodes: [...goal.nodes, ...added] };
  goal = withWires(goal, base, named, { began, names });
  return { ...goal, ...(carriedValue(restOf(base), restOf(named), restOf(goal)) as Record_) };
}

/** A node of another type has other parameters: nothing of the earlier ones is kept. */
function carriedNode(base: DocNode, draft: DocNode, present: DocNode): DocNode {
  const { name } = present;
  if (base.type !== draft.type) return { ...draft, name };
  return { ...(carriedValue(base, draft, { ...present, name: base.name }) as DocNode), name };
}

/** A new node of the draft that is on the canvas already. */
function standing(present: Doc, node: DocNode): DocNode | undefined {
  return present.nodes.find(({ id, name, type }) =>
    id === undefined || node.id === undefined ? name === node.name && type === node.type : id === node.id,
  );
}

/** A new node may have the name of one that somebody else has added meanwhile. */
function withFreeNames(base: Doc, draft: Doc, present: Doc): Doc {
  const began = pairs(base, draft);
  const taken = namesOf(present);
  const clashing = draft.nodes.filter((node) => !began.has(node) && taken.has(node.name) && !standing(present, node));
  return clashing.reduce(
    (doc, { name }) => renameNode(doc, name, freeName(name, new Set([...namesOf(doc), ...taken]))),
    draft,
  );
}

interface Names {
  began: ReadonlyMap<DocNode, DocNode>;
  /** Name in the draft -> in the document that is made. */
  names: ReadonlyMap<string, string>;
}

function withWires(goal: Doc, base: Doc, draft: Doc, { began, names }: Names): Doc {
  const now = new Map([...began].map(([node, old]) => [old.name, names.get(node.name) ?? node.name]));
  const before = wiresOf(base.connections).map((wire) => renamedWire(wire, now));
  const after = wiresOf(draft.connections).map((wire) => renamedWire(wire, names));
  const cut = disconnect(goal, without(before, after));
  const there = namesOf(goal);
  return without(after, before)
    .filter(({ source, target }) => there.has(source) && there.has(target))
    .reduce(connect, cut);
}

export function renamedWire(wire: Wire, names: ReadonlyMap<string, string>): Wire {
  return {
    ...wire,
    source: names.get(wire.source) ?? wire.source,
    target: names.get(wire.target) ?? wire.target,
  };
}

function without(wires: readonly Wire[], others: readonly Wire[]): Wire[] {
  const known = new Set(others.map((wire) => JSON.stringify(wire)));
  return wires.filter((wire) => !known.has(JSON.stringify(wire)));
}

function restOf({ nodes: _, connections: __, ...rest }: Doc): Record_ {
  return rest;
}
