/** Tabs of panes: what is beside what. Pure; the workspace draws it, so that a split moves no terminal. */

export type Direction = 'row' | 'column';

export interface Pane {
  kind: 'pane';
  id: string;
  session: string;
}

export interface Split {
  kind: 'split';
  id: string;
  direction: Direction;
  /** Per cent of the first. */
  share: number;
  first: Node;
  second: Node;
}

export type Node = Pane | Split;

/** In per cent of the whole. */
export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

const WHOLE: Box = { left: 0, top: 0, width: 100, height: 100 };
export const LEAST = 10;

/** Pixels below which a pane shows nothing that could be read. */
const ROOM = { width: 160, height: 96 };

/** Whether both halves of a box are large enough. whole: the size of all panes together, in pixels. */
export function hasRoom(box: Box, direction: Direction, whole: { width: number; height: number }): boolean {
  const side = direction === 'row' ? 'width' : 'height';
  return (box[side] / 100) * whole[side] >= 2 * ROOM[side];
}

export function panes(node: Node): Pane[] {
  return node.kind === 'pane' ? [node] : [...panes(node.first), ...panes(node.second)];
}

/** A pane more, after the one that is named. */
export function split(node: Node, at: string, direction: Direction, pane: Pane, id: string): Node {
  if (node.kind === 'split') return mapped(node, (part) => split(part, at, direction, pane, id));
  return node.id === at ? { kind: 'split', id, direction, share: 50, first: node, second: pane } : node;
}

/** Without the pane; undefined when it was the last one. */
export function without(node: Node, pane: string): Node | undefined {
  if (node.kind === 'pane') return node.id === pane ? undefined : node;
  const first = without(node.first, pane);
  const second = without(node.second, pane);
  return first && second ? { ...node, first, second } : (first ?? second);
}

export function withSession(node: Node, pane: string, session: string): Node {
  if (node.kind === 'split') return mapped(node, (part) => withSession(part, pane, session));
  return node.id === pane ? { ...node, session } : node;
}

export function withShare(node: Node, id: string, share: number): Node {
  if (node.kind === 'pane') return node;
  if (node.id === id) return { ...node, share: Math.min(100 - LEAST, Math.max(LEAST, share)) };
  return mapped(node, (part) => withShare(part, id, share));
}

/** Where each pane is. */
export function boxes(node: Node, box: Box = WHOLE): Map<string, Box> {
  if (node.kind === 'pane') return new Map([[node.id, box]]);
  const [first, second] = halves(node, box);
  return new Map([...boxes(node.first, first), ...boxes(node.second, second)]);
}

/** The bars between panes, with the room that each divides. */
export function bars(node: Node, box: Box = WHOLE): { split: Split; box: Box }[] {
  if (node.kind === 'pane') return [];
  const [first, second] = halves(node, box);
  return [{ split: node, box }, ...bars(node.first, first), ...bars(node.second, second)];
}

function halves({ direction, share }: Split, box: Box): [Box, Box] {
  const part = share / 100;
  if (direction === 'row') {
    const width = box.width * part;
    return [
      { ...box, width },
      { ...box, left: box.left + width, width: box.width - width },
    ];
  }
  const height = box.height * part;
  return [
    { ...box, height },
    { ...box, top: box.top + height, height: box.height - height },
  ];
}

function mapped(node: Split, change: (part: Node) => Node): Split {
  return { ...node, first: change(node.first), second: change(node.second) };
}
