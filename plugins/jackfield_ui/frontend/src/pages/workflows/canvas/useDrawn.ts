import { applyNodeChanges, type EdgeChange, type NodeChange } from '@xyflow/react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { type Doc, move, type Wire } from '../model/document';
import type { Overlay } from '../model/marks';
import { presentDoc, useEditor, useStore } from '../model/store';
import { edgesOf, type Facts, type FlowNode as Flow, type FlowEdge, type Ids, nodesOf, placed } from './flow';
import { useStable } from './useStable';

/** What is drawn: the document's nodes and wires, and which of them are selected. */
export interface Drawn {
  nodes: Flow[];
  edges: FlowEdge[];
  /** The selected wires. */
  wires: readonly Wire[];
  clearWires: () => void;
  onNodesChange: (changes: NodeChange<Flow>[]) => void;
  onEdgesChange: (changes: EdgeChange<FlowEdge>[]) => void;
}

/** overlay: a draft that is drawn upon the document. */
export function useDrawn(facts: Facts, ids: Ids, overlay: Overlay | undefined): Drawn {
  const present = useEditor(presentDoc);
  const doc = overlay?.doc ?? present;
  const [nodes, onNodesChange] = useNodes(facts, ids, doc);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const drawn = useRef<readonly FlowEdge[]>([]);
  const edges = useMemo(() => {
    const next = edgesOf(doc, facts.states, ids, chosen, drawn.current, overlay?.wires);
    drawn.current = next;
    return next;
  }, [doc, facts.states, ids, chosen, overlay?.wires]);
  const onEdgesChange = useStable((changes: EdgeChange<FlowEdge>[]) => {
    if (selections(changes).length) setChosen((before) => selected(before, selections(changes), (id) => id));
  });
  const wires = edges.flatMap(({ id, data }) => (chosen.has(id) && data ? [data.wire] : []));
  return { nodes, edges, wires, clearWires: () => setChosen(new Set()), onNodesChange, onEdgesChange };
}

/** The nodes; those that are dragged move here first, and in the document when they are let go. */
function useNodes(facts: Facts, ids: Ids, doc: Doc) {
  const store = useStore();
  const selection = useEditor((state) => state.selection);
  const [nodes, setNodes] = useState<Flow[]>(() => nodesOf(doc, facts, ids, []));
  useEffect(() => setNodes((before) => nodesOf(doc, facts, ids, before)), [doc, facts, ids]);
  useEffect(() => {
    setNodes((before) => {
      const chosen = (node: Flow) => selection.has(ids.name(node.id));
      if (before.every((node) => (node.selected ?? false) === chosen(node))) return before;
      return before.map((node) =>
        (node.selected ?? false) === chosen(node) ? node : { ...node, selected: chosen(node) },
      );
    });
  }, [selection, ids]);
  const onNodesChange = useStable((changes: NodeChange<Flow>[]) => {
    const wanted = changes.filter(({ type }) => type !== 'remove');
    setNodes((before) => applyNodeChanges(wanted, before).map(placed));
    const chosen = selections(changes);
    if (chosen.length) store.select(selected(store.get().selection, chosen, (id) => ids.name(id)));
    const places = changes.flatMap((change) =>
      change.type === 'position' && change.dragging === false && change.position
        ? [[ids.name(change.id), change.position] as const]
        : [],
    );
    const moved = places.filter(([name, { x, y }]) => {
      const [oldX, oldY] = (doc.nodes.find((node) => node.name === name)?.position ?? []) as number[];
      return oldX !== Math.round(x) || oldY !== Math.round(y);
    });
    if (moved.length) store.commit((now) => move(now, new Map(moved)), `move ${moved.map(([name]) => name).join()}`);
  });
  return [nodes, onNodesChange] as const;
}

interface Selecting {
  id: string;
  selected: boolean;
}

function selections(changes: readonly (NodeChange<Flow> | EdgeChange<FlowEdge>)[]): Selecting[] {
  return changes.filter((change) => change.type === 'select');
}

function selected(before: ReadonlySet<string>, changes: readonly Selecting[], nameOf: (id: string) => string) {
  const next = new Set(before);
  for (const { id, selected } of changes) {
    if (selected) next.add(nameOf(id));
    else next.delete(nameOf(id));
  }
  return next;
}
