/** A draft's changes to the canvas, one by one, and the canvas with some of them. Pure. */
import { isRecord } from '../../../api/errors';
import { difference, type FieldChange, type NodeChange, pairs } from '../model/diff';
import {
  addNode,
  changeNode,
  connect,
  type Doc,
  type DocNode,
  disconnect,
  move,
  namesOf,
  positionOf,
  type Record_,
  removeNodes,
  renameNode,
  setKey,
  type Wire,
} from '../model/document';
import type { Mark } from '../model/marks';
import { carried, isClash, isEqual, renamedWire } from './merging';

interface Common {
  /** The same while the draft and the canvas go on. */
  id: string;
  mark: Mark;
}

export interface NodeUnit extends Common {
  what: 'node';
  /** On the canvas; of an added node the one that it gets. */
  name: string;
  type: string;
  change: NodeChange | undefined;
  /** The canvas has changed the same place since the draft began, otherwise. */
  isClash: boolean;
}

export interface WireUnit extends Common {
  what: 'wire';
  wire: Wire;
  /** Units of the nodes with which it comes or goes. */
  with: readonly string[];
}

export interface PartUnit extends Common {
  what: 'part';
  /** A key of the document such as name or pinData, or `settings` and a key of these. */
  place: readonly string[];
  fields: readonly FieldChange[];
}

export interface PlacesUnit extends Common {
  what: 'places';
  /** Names on the canvas. */
  names: readonly string[];
}

export type Unit = NodeUnit | WireUnit | PartUnit | PlacesUnit;

/** A draft beside the canvas. */
export interface Proposal {
  present: Doc;
  /** The canvas with all of it. */
  goal: Doc;
  units: readonly Unit[];
}

/** base: the document with which the draft began, with what was decided about it since. */
export function proposalOf(base: Doc, draft: Doc, present: Doc): Proposal {
  const goal = carried(base, draft, present);
  const partners = pairs(present, goal);
  const found = difference(present, goal);
  const changes = new Map(found.changed.map((change) => [change.name, change]));
  const clashes = clashesOf(base, draft);
  const gone = new Set(present.nodes);
  const nodes: NodeUnit[] = [];
  const moved: string[] = [];
  for (const node of goal.nodes) {
    const now = partners.get(node);
    const change = changes.get(node.name);
    if (!now) nodes.push(nodeUnit(node, 'added'));
    if (!now) continue;
    gone.delete(now);
    if (change) nodes.push({ ...nodeUnit(now, 'changed'), change, isClash: clashes(now) });
    if (!isSamePlace(now, node)) moved.push(now.name);
  }
  for (const node of gone) nodes.push({ ...nodeUnit(node, 'removed'), isClash: clashes(node) });
  const keys = new Map([...gone, ...goal.nodes].map((node) => [node.name, keyOf(node)]));
  const wires = [
    ...found.wiresAdded.map((wire) => wireUnit(wire, 'added', keys, nodes)),
    ...found.wiresRemoved.map((wire) => wireUnit(wire, 'removed', keys, nodes)),
  ];
  return { present, goal, units: [...nodes, ...wires, ...partUnits(found.rest), ...placesUnit(moved)] };
}

/** Those that are decided about by themselves: wires of nodes that come or go are decided with these. */
export function ownUnits({ units }: Proposal): Unit[] {
  return units.filter((unit) => unit.what !== 'wire' || unit.with.length === 0);
}

/**
 * The canvas with these units and with their wires. A new wire to a node that is not there yet comes with that node,
 * unless `isWhole`: then it counts as decided, too.
 */
export function taken({ present, goal, units }: Proposal, ids: ReadonlySet<string>, isWhole = false): Doc {
  const names = new Map([...pairs(present, goal)].map(([node, now]) => [node.name, now.name]));
  const chosen = units.filter(
    (unit) => ids.has(unit.id) || (unit.what === 'wire' && unit.with.some((id) => ids.has(id))),
  );
  let doc = present;
  for (const unit of chosen) {
    if (unit.what === 'node') doc = withNode(doc, goal, unit, names);
    else if (unit.what === 'part') doc = withPart(doc, goal, unit.place) as Doc;
    else if (unit.what === 'places') doc = withPlaces(doc, goal, unit.names, names);
  }
  const there = namesOf(doc);
  const wires = chosen
    .filter((unit) => unit.what === 'wire')
    .map(({ mark, wire }) => ({ mark, wire: renamedWire(wire, names) }));
  doc = disconnect(
    doc,
    wires.flatMap(({ mark, wire }) => (mark === 'removed' ? [wire] : [])),
  );
  return wires
    .filter(({ mark, wire }) => mark === 'added' && (isWhole || (there.has(wire.source) && there.has(wire.target))))
    .reduce((now, { wire }) => connect(now, wire), doc);
}

/** names: in the goal -> in `doc`; a node that gets another name is told there. */
function withNode(doc: Doc, goal: Doc, { mark, name, change }: NodeUnit, names: Map<string, string>): Doc {
  if (mark === 'removed') return removeNodes(doc, new Set([name]));
  const wanted = change?.name ?? name;
  const node = goal.nodes.find((one) => one.name === wanted);
  if (!node) return doc;
  if (mark === 'added') return addNode(doc, node);
  const at = doc.nodes.findIndex((one) => one.name === name);
  const renamed = renameNode(doc, name, wanted);
  const to = renamed.nodes[at]?.name ?? name;
  names.set(wanted, to);
  return changeNode(renamed, to, ({ position }) => setKey({ ...node, name: to }, 'position', position));
}

function withPart(doc: Record_, goal: Record_, [key = '', ...within]: readonly string[]): Record_ {
  const { [key]: now, ...others } = doc;
  const wanted = goal[key];
  if (within.length && isRecord(wanted)) return { ...doc, [key]: withPart(isRecord(now) ? now : {}, wanted, within) };
  return key in goal ? { ...doc, [key]: wanted } : others;
}

function withPlaces(doc: Doc, goal: Doc, moved: readonly string[], names: ReadonlyMap<string, string>): Doc {
  const places = goal.nodes.flatMap((node) => {
    const name = names.get(node.name);
    const place = positionOf(node);
    return name !== undefined && place && moved.includes(name) ? [[name, place] as const] : [];
  });
  return move(doc, new Map(places));
}

const keyOf = ({ id, name }: DocNode): string => id ?? name;

/** Whether the canvas has changed a node where the draft has, and otherwise. */
function clashesOf(base: Doc, draft: Doc): (node: DocNode) => boolean {
  const drafted = new Map([...pairs(base, draft)].map(([node, old]) => [keyOf(old), node]));
  const began = new Map(base.nodes.map((node) => [keyOf(node), node]));
  return (node) => {
    const [old, next] = [began.get(keyOf(node)), drafted.get(keyOf(node))];
    if (!old) return false;
    return next ? isClash(plain(old), plain(next), plain(node)) : !isEqual(plain(old), plain(node));
  };
}

function plain({ position: _, ...node }: DocNode): Record<string, unknown> {
  return node;
}

function isSamePlace(one: DocNode, other: DocNode): boolean {
  return isEqual(positionOf(one), positionOf(other));
}

function nodeUnit(node: DocNode, mark: Mark): NodeUnit {
  const id = `node:${keyOf(node)}`;
  return { what: 'node', id, mark, name: node.name, type: node.type, change: undefined, isClash: false };
}

/** keys: name of a node -> what stays when it is renamed. */
function wireUnit(wire: Wire, mark: Mark, keys: ReadonlyMap<string, string>, nodes: readonly NodeUnit[]): WireUnit {
  const [from, to] = [wire.source, wire.target].map((name) => keys.get(name) ?? name);
  const id = `wire:${wire.type}:${from}:${wire.output}>${to}:${wire.input}`;
  const whole = nodes.filter((unit) => unit.mark !== 'changed' && [`node:${from}`, `node:${to}`].includes(unit.id));
  return { what: 'wire', id, mark, wire, with: whole.map((unit) => unit.id) };
}

function partUnits(fields: readonly FieldChange[]): PartUnit[] {
  const keys = [...new Set(fields.map((field) => JSON.stringify(placeOf(field))))];
  return keys.map((key) => ({
    what: 'part',
    id: `setting:${(JSON.parse(key) as string[]).at(-1)}`,
    mark: 'changed',
    place: JSON.parse(key),
    fields: fields.filter((field) => JSON.stringify(placeOf(field)) === key),
  }));
}

/** Settings are decided one by one, other keys of the document as a whole. */
function placeOf({ path }: FieldChange): string[] {
  const [key = '', within = ''] = path.split(/[.[]/);
  return key === 'settings' && within ? [key, within] : [key];
}

function placesUnit(names: readonly string[]): PlacesUnit[] {
  return names.length ? [{ what: 'places', id: 'places', mark: 'changed', names }] : [];
}
