/** Where a new node goes: beside what it is wired to, over nothing, and with room made for it in the middle of a wire. */
import { type Doc, type DocNode, isSticky, kindOf, move, positionOf, type Wire, wiresOf } from '../model/document';
import { type Shape, shapeOf } from '../model/shape';
import type { NodeType } from '../queries';
import type { Place, Wanted } from './edits';

/** Between two nodes in a row, and between a node and its parts. */
const APART = 128;
const PARTS_APART = 48;
/** Names stand below their nodes. */
const MARGIN = { x: 16, y: 48 };

type Kinds = ReadonlyMap<string, NodeType>;

interface Box extends Place {
  name: string;
  width: number;
  height: number;
}

export interface Placed {
  /** With room for the node. */
  doc: Doc;
  at: Place;
}

/** middle: where it goes when nothing else says so. */
export function placeFor(doc: Doc, kinds: Kinds, kind: NodeType, asked: Wanted, middle: Place): Placed {
  if (asked.at) return { doc, at: asked.at };
  const size = sizeOf(kind, asked);
  const boxes = boxesOf(doc, kinds);
  const { from, wire } = asked;
  const beside = boxes.find(({ name }) => name === (from?.name ?? wire?.source));
  if (!beside) return { doc, at: free(boxes, { ...middle, ...size }, { x: 0, y: 1 }) };
  if (wire) return onWire(doc, boxes, beside, wire, size);
  if (from?.end === 'target') {
    const at = from.type === 'main' ? before(beside, size) : below(doc, kinds, beside, from.type, size);
    return { doc, at: free(boxes, { ...at, ...size }, from.type === 'main' ? { x: 0, y: 1 } : { x: 1, y: 0 }) };
  }
  return { doc, at: free(boxes, { ...after(beside, size), ...size }, { x: 0, y: 1 }) };
}

/** A node that is added without a place follows the one that is selected, from the first output that no wire leaves. */
export function behindSelected(
  doc: Doc,
  kinds: Kinds,
  kind: NodeType,
  asked: Wanted,
  selected: string | undefined,
): Wanted {
  const node = doc.nodes.find(({ name }) => name === selected);
  if (!node || asked.at || asked.from || asked.wire || kind.trigger || kind.inputs === 0 || isSticky(node))
    return asked;
  const { outputs } = shapeIn(doc, kinds, node.name);
  if (!outputs.length) return asked;
  const used = new Set(
    wiresOf(doc.connections).flatMap(({ source, type, output }) =>
      source === node.name && type === 'main' ? [output] : [],
    ),
  );
  const open = outputs.findIndex((_, index) => !used.has(index));
  return { from: { name: node.name, type: 'main', index: Math.max(0, open), end: 'source' } };
}

type Size = Pick<Box, 'width' | 'height'>;

const centred = (beside: Box, size: Size) => beside.y + (beside.height - size.height) / 2;
const after = (beside: Box, size: Size): Place => ({ x: beside.x + beside.width + APART, y: centred(beside, size) });
const before = (beside: Box, size: Size): Place => ({ x: beside.x - APART - size.width, y: centred(beside, size) });

/** Below the port that takes it. */
function below(doc: Doc, kinds: Kinds, beside: Box, type: string, size: Size): Place {
  const { accepts } = shapeIn(doc, kinds, beside.name);
  const port = ((Math.max(0, accepts.indexOf(type)) + 0.5) / Math.max(1, accepts.length)) * beside.width;
  return { x: beside.x + port - size.width / 2, y: beside.y + beside.height + APART - MARGIN.y / 2 };
}

function onWire(doc: Doc, boxes: readonly Box[], source: Box, wire: Wire, size: Size): Placed {
  const at = after(source, size);
  const target = boxes.find(({ name }) => name === wire.target);
  const lacking = target && target.x > source.x ? at.x + size.width + APART - target.x : 0;
  if (lacking <= 0) return { doc, at: free(boxes, { ...at, ...size }, { x: 0, y: 1 }) };
  const following = behind(doc, wire);
  const moved = boxes.filter(({ name }) => following.has(name));
  return { doc: move(doc, new Map(moved.map(({ name, x, y }) => [name, { x: x + lacking, y }]))), at };
}

/** Nodes that come behind the wire, with their parts; not what leads back to its source. */
function behind(doc: Doc, wire: Wire): ReadonlySet<string> {
  const wires = wiresOf(doc.connections);
  const found = new Set([wire.target]);
  for (const one of found) {
    for (const { source, target, type } of wires) {
      if (type === 'main' && source === one && target !== wire.source) found.add(target);
      if (type !== 'main' && target === one) found.add(source);
    }
  }
  found.delete(wire.source);
  return found;
}

/** The first place in this direction that lies over nothing. */
function free(boxes: readonly Box[], wanted: Place & Size, step: Place): Place {
  let { x, y } = wanted;
  for (let tries = 0; tries < boxes.length + 1; tries += 1) {
    const other = boxes.find((box) => meets(box, { ...wanted, x, y }));
    if (!other) break;
    if (step.x) x = other.x + other.width + PARTS_APART;
    else y = other.y + other.height + MARGIN.y + 16;
  }
  return { x, y };
}

function meets(one: Place & Size, other: Place & Size): boolean {
  return (
    one.x < other.x + other.width + MARGIN.x &&
    other.x < one.x + one.width + MARGIN.x &&
    one.y < other.y + other.height + MARGIN.y &&
    other.y < one.y + one.height + MARGIN.y
  );
}

function boxesOf(doc: Doc, kinds: Kinds): Box[] {
  const wires = wiresOf(doc.connections);
  return doc.nodes.flatMap((node) => {
    const place = isSticky(node) ? undefined : positionOf(node);
    if (!place) return [];
    const { width, height } = shapeOf(node, kinds.get(kindOf(node.type)), wires);
    return [{ name: node.name, ...place, width, height }];
  });
}

function shapeIn(doc: Doc, kinds: Kinds, name: string): Shape {
  const node = doc.nodes.find((one) => one.name === name) as DocNode;
  return shapeOf(node, kinds.get(kindOf(node.type)), wiresOf(doc.connections));
}

function sizeOf(kind: NodeType, { from }: Wanted): Size {
  const node: DocNode = { name: '', type: kind.type };
  const serves = from?.end === 'target' && from.type !== 'main' ? from : undefined;
  const wires: Wire[] = serves
    ? [{ source: '', type: serves.type, output: 0, target: serves.name, targetType: serves.type, input: 0 }]
    : [];
  const { width, height } = shapeOf(node, kind, wires);
  return { width, height };
}
