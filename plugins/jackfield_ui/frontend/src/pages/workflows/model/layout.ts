/** Places for all nodes of a document: in the order in which they run, from left to right. Loaded when it is wanted. */
import { Graph, layout } from '@dagrejs/dagre';
import type { NodeType } from '../queries';
import { type Doc, type DocNode, isSticky, kindOf, move, wiresOf } from './document';
import { shapeOf } from './shape';

type Kinds = ReadonlyMap<string, NodeType>;

interface Place {
  x: number;
  y: number;
}

interface Size {
  width: number;
  height: number;
}

/** Between columns, between rows, and below a node, where its name stands. */
const COLUMNS = 128;
const ROWS = 48;
const NAME = 48;
/** Between a node and its parts, and between two of these. */
const PARTS = 64;
const PARTS_APART = 48;
const GRID = 16;

/** A node with the parts that serve it, those of parts too: one block, with itself at the top. */
class Block {
  readonly parts: Block[] = [];

  constructor(
    readonly name: string,
    readonly own: Size,
  ) {}

  get size(): Size {
    const { width, height } = this.below();
    return { width: Math.max(this.own.width, width), height: this.own.height + NAME + height };
  }

  /** Places of the block's nodes, with its left upper corner at `at`. */
  places({ x, y }: Place): [string, Place][] {
    const { width } = this.size;
    const below = this.below();
    let left = x + (width - below.width) / 2;
    const top = y + this.own.height + NAME + PARTS;
    const found: [string, Place][] = [[this.name, { x: x + (width - this.own.width) / 2, y }]];
    for (const part of this.parts) {
      found.push(...part.places({ x: left, y: top }));
      left += part.size.width + PARTS_APART;
    }
    return found;
  }

  private below(): Size {
    if (!this.parts.length) return { width: 0, height: 0 };
    const sizes = this.parts.map(({ size }) => size);
    const width = sizes.reduce((sum, size) => sum + size.width + PARTS_APART, -PARTS_APART);
    return { width, height: PARTS + Math.max(...sizes.map(({ height }) => height)) };
  }
}

export function laidOut(doc: Doc, kinds: Kinds): Doc {
  const blocks = blocksOf(doc, kinds);
  const served = new Set([...blocks.values()].flatMap(({ parts }) => parts.map(({ name }) => name)));
  const heads = [...blocks.values()].filter(({ name }) => !served.has(name));
  const headOf = new Map<string, string>();
  for (const head of heads) for (const [name] of head.places({ x: 0, y: 0 })) headOf.set(name, head.name);
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'LR', ranksep: COLUMNS, nodesep: ROWS, edgesep: ROWS / 2 });
  for (const { name, size } of heads) graph.setNode(name, size);
  for (const [index, { source, target }] of wiresOf(doc.connections).entries()) {
    const [from, to] = [headOf.get(source), headOf.get(target)];
    if (from !== undefined && to !== undefined && from !== to) graph.setEdge(from, to, {}, String(index));
  }
  layout(graph);
  const places = heads.flatMap((head) => {
    const { x, y } = graph.node(head.name) as Place;
    const { width, height } = head.size;
    return head.places({ x: snapped(x - width / 2), y: snapped(y - height / 2) });
  });
  return move(doc, new Map(places));
}

/** Of every node its block, within which are those that serve it. A part that serves several stands below the first. */
function blocksOf(doc: Doc, kinds: Kinds): ReadonlyMap<string, Block> {
  const wires = wiresOf(doc.connections);
  const sized = (node: DocNode) => new Block(node.name, shapeOf(node, kinds.get(kindOf(node.type)), wires));
  const blocks = new Map(doc.nodes.filter((node) => !isSticky(node)).map((node) => [node.name, sized(node)]));
  const servedBy = new Map<string, string>();
  for (const { type, source, target } of wires) {
    if (type === 'main' || servedBy.has(source) || leads(servedBy, target, source)) continue;
    const [part, block] = [blocks.get(source), blocks.get(target)];
    if (!part || !block || part === block) continue;
    servedBy.set(source, target);
    block.parts.push(part);
  }
  return blocks;
}

/** Whether `name` serves `part`, by others or by itself: then `part` cannot stand below it. */
function leads(servedBy: ReadonlyMap<string, string>, name: string, part: string): boolean {
  for (let at: string | undefined = name; at !== undefined; at = servedBy.get(at)) if (at === part) return true;
  return false;
}

const snapped = (value: number) => Math.round(value / GRID) * GRID;
