/** The document as React Flow wants it. What did not change stays the same object, so that it is not drawn again. */

import { type Edge, type Node, Position, type XYPosition } from '@xyflow/react';
import type { CSSProperties } from 'react';
import { phrases, t } from '../../../language/messages';
import type { NodeState } from '../live/progress';
import { type Doc, type DocNode, kindOf, positionOf, type Wire, wiresOf } from '../model/document';
import { type Mark, NO_MARKS, wireKey } from '../model/marks';
import { type Shape, shapeOf } from '../model/shape';
import type { NodeType } from '../queries';

export interface NodeData extends Record<string, unknown> {
  node: DocNode;
  shape: Shape;
  kind: NodeType | undefined;
  state: NodeState | undefined;
  problem: string | undefined;
  pinned: boolean;
  /** What a draft would do with it; what it would add is not there. */
  mark: Mark | undefined;
  /** Outputs that no wire leaves. */
  free: string;
}

export type FlowNode = Node<NodeData>;
export interface WireData extends Record<string, unknown> {
  wire: Wire;
  items: number | undefined;
  state: 'ran' | 'failed' | undefined;
  mark: Mark | undefined;
}
export type FlowEdge = Edge<WireData>;

const HANDLE = 12;

/**
 * Names are anything, hostile ones included, and React Flow puts ids into selectors: so each name gets an id of ours,
 * which stays when the node is renamed.
 */
export class Ids {
  private readonly byName = new Map<string, string>();
  private readonly byId = new Map<string, string>();
  private next = 0;

  of(name: string): string {
    const known = this.byName.get(name);
    if (known) return known;
    const id = `n${this.next}`;
    this.next += 1;
    this.byName.set(name, id);
    this.byId.set(id, name);
    return id;
  }

  name(id: string): string {
    return this.byId.get(id) ?? '';
  }

  rename(from: string, to: string): void {
    const id = this.byName.get(from);
    if (id === undefined) return;
    this.byName.delete(from);
    this.byName.set(to, id);
    this.byId.set(id, to);
  }
}

// Types of wires come from the document, and handles' ids go into selectors: letters and figures only.
export const inputHandle = (type: string, index: number) => `i:${type.replaceAll(/\W/g, '')}:${index}`;
export const outputHandle = (type: string, index: number) => `o:${type.replaceAll(/\W/g, '')}:${index}`;

export function handleOf(id: string | null | undefined): { type: string; index: number } {
  const [, type = 'main', index = '0'] = (id ?? '').split(':');
  return { type, index: Number(index) };
}

export interface Facts {
  kinds: ReadonlyMap<string, NodeType>;
  states: ReadonlyMap<string, NodeState>;
  problems: ReadonlyMap<string, string>;
  marks?: ReadonlyMap<string, Mark>;
}

export function nodesOf(doc: Doc, facts: Facts, ids: Ids, before: readonly FlowNode[]): FlowNode[] {
  const old = new Map(before.map((node) => [node.id, node]));
  const touching = new Map<string, Wire[]>();
  for (const wire of wiresOf(doc.connections)) {
    for (const name of new Set([wire.source, wire.target])) {
      const list = touching.get(name);
      if (list) list.push(wire);
      else touching.set(name, [wire]);
    }
  }
  const seen = new Set<string>();
  const drawn = doc.nodes.map((node, index) => {
    const id = ids.of(seen.has(node.name) ? `${node.name}\u0000${index}` : node.name);
    seen.add(node.name);
    const kind = facts.kinds.get(kindOf(node.type));
    const wires = touching.get(node.name) ?? [];
    const shape = shapeOf(node, kind, wires);
    const used = new Set(wires.flatMap((wire) => (wire.source === node.name ? [`${wire.type}:${wire.output}`] : [])));
    const data: NodeData = {
      node,
      shape,
      kind,
      state: facts.states.get(node.name),
      problem: facts.problems.get(node.name),
      pinned: Array.isArray(doc.pinData?.[node.name]),
      mark: facts.marks?.get(node.name),
      free: shape.outputs.flatMap((_, output) => (used.has(`main:${output}`) ? [] : [output])).join(','),
    };
    return kept(old.get(id), flowNode(id, data, index));
  });
  // The map draws in this order: notes lie below.
  return [...drawn.filter(({ type }) => type === 'sticky'), ...drawn.filter(({ type }) => type !== 'sticky')];
}

function flowNode(id: string, data: NodeData, index: number): FlowNode {
  const { shape, node, mark } = data;
  const { width, height } = shape;
  const sticky = shape.look === 'sticky';
  const position = positionOf(node) ?? { x: index * 208, y: 0 };
  return {
    id,
    type: sticky ? 'sticky' : 'node',
    position,
    style: styleAt(position),
    data,
    width,
    height,
    measured: { width, height },
    handles: handles(shape),
    zIndex: sticky ? -10 : 0,
    ariaLabel: phrases(sticky ? t('Sticky note') : t('Node {name}', { name: node.name }), MARK_LABELS[mark ?? 'none']),
    ...(mark === 'added' ? NOT_THERE : {}),
    domAttributes: { 'data-name': node.name } as Record<string, string>,
  };
}

const MARK_LABELS = {
  none: '',
  added: t('added by the draft'),
  changed: t('changed by the draft'),
  removed: t('removed by the draft'),
} as const;

const NOT_THERE = { draggable: false, selectable: false, connectable: false };

/** Placed without a transform: hundreds of them are dear in every frame while the canvas moves. */
function styleAt({ x, y }: XYPosition): CSSProperties {
  return { transform: 'none', left: x, top: y };
}

/** The node with its style where its position says; the same object if it is there. */
export function placed(node: FlowNode): FlowNode {
  const { position, style } = node;
  return style?.left === position.x && style.top === position.y ? node : { ...node, style: styleAt(position) };
}

/** The old object where nothing is different, the old selection in any case. */
function kept(old: FlowNode | undefined, fresh: FlowNode): FlowNode {
  if (!old) return fresh;
  const same =
    old.data.node === fresh.data.node &&
    old.data.kind === fresh.data.kind &&
    old.data.state === fresh.data.state &&
    old.data.problem === fresh.data.problem &&
    old.data.pinned === fresh.data.pinned &&
    old.data.mark === fresh.data.mark &&
    old.data.free === fresh.data.free &&
    JSON.stringify(old.data.shape) === JSON.stringify(fresh.data.shape);
  if (same && old.position.x === fresh.position.x && old.position.y === fresh.position.y) return old;
  return { ...fresh, ...(same ? { data: old.data } : {}), selected: old.selected ?? false };
}

/** Per cent from the top at which the middle of handle `index` of `count` is. */
export function placeOf(index: number, count: number): number {
  return ((index + 0.5) / count) * 100;
}

function handles(shape: Shape): FlowNode['handles'] {
  const { width, height, inputs, outputs, accepts, serves } = shape;
  const size = { width: HANDLE, height: HANDLE };
  const at = (x: number, y: number) => ({ x: x - HANDLE / 2, y: y - HANDLE / 2, ...size });
  const middle = (index: number, count: number, whole: number) => (placeOf(index, count) / 100) * whole;
  return [
    ...Array.from({ length: inputs }, (_, index) => ({
      ...at(0, middle(index, inputs, height)),
      id: inputHandle('main', index),
      type: 'target' as const,
      position: Position.Left,
    })),
    ...outputs.map((_, index) => ({
      ...at(width, middle(index, outputs.length, height)),
      id: outputHandle('main', index),
      type: 'source' as const,
      position: Position.Right,
    })),
    ...accepts.map((type, index) => ({
      ...at(middle(index, accepts.length, width), height),
      id: inputHandle(type, 0),
      type: 'target' as const,
      position: Position.Bottom,
    })),
    ...serves.map((type, index) => ({
      ...at(middle(index, serves.length, width), 0),
      id: outputHandle(type, 0),
      type: 'source' as const,
      position: Position.Top,
    })),
  ];
}

export function edgesOf(
  doc: Doc,
  states: ReadonlyMap<string, NodeState>,
  ids: Ids,
  selected: ReadonlySet<string>,
  before: readonly FlowEdge[],
  marks = NO_MARKS,
): FlowEdge[] {
  const old = new Map(before.map((edge) => [edge.id, edge]));
  const names = new Set(doc.nodes.map(({ name }) => name));
  const seen = new Set<string>();
  return wiresOf(doc.connections).flatMap((wire): FlowEdge[] => {
    if (!names.has(wire.source) || !names.has(wire.target)) return [];
    const from = ids.of(wire.source);
    const to = ids.of(wire.target);
    // Types come from the document: an id may hold nothing but letters and figures.
    const type = wire.type.replaceAll(/\W/g, '');
    const id = `${from}-${type}-${wire.output}-${to}-${wire.input}`;
    if (seen.has(id)) return [];
    seen.add(id);
    const state = states.get(wire.source);
    const mark = marks.size ? marks.get(wireKey(wire)) : undefined;
    const items = wire.type === 'main' ? state?.outputs[wire.output] : undefined;
    const fresh: FlowEdge = {
      id,
      type: 'wire',
      source: from,
      target: to,
      sourceHandle: outputHandle(wire.type, wire.type === 'main' ? wire.output : 0),
      targetHandle: inputHandle(wire.targetType, wire.targetType === 'main' ? wire.input : 0),
      data: { wire, items, state: items ? 'ran' : undefined, mark },
      selectable: mark === undefined,
      selected: selected.has(id),
      ariaLabel: phrases(
        t('Wire from {source} to {target}', { source: wire.source, target: wire.target }),
        MARK_LABELS[mark ?? 'none'],
      ),
    };
    return [keptEdge(old.get(id), fresh)];
  });
}

/** The old object where nothing is different. */
function keptEdge(old: FlowEdge | undefined, fresh: FlowEdge): FlowEdge {
  const same =
    old &&
    old.selected === fresh.selected &&
    old.ariaLabel === fresh.ariaLabel &&
    old.sourceHandle === fresh.sourceHandle &&
    old.targetHandle === fresh.targetHandle &&
    JSON.stringify(old.data) === JSON.stringify(fresh.data);
  return same ? old : fresh;
}
