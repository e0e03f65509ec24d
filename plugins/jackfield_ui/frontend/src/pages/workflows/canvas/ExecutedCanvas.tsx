import { t } from '../../../language/messages';
import '@xyflow/react/dist/base.css';
import { useMantineColorScheme } from '@mantine/core';
import { ReactFlow, ReactFlowProvider } from '@xyflow/react';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { Progress } from '../live/progress';
import { type Doc, documentOf, needsLayout, type Record_ } from '../model/document';
import { type NodeType, useNodeTypes } from '../queries';
import classes from './canvas.module.css';
import { Furniture } from './Furniture';
import { edgesOf, type FlowNode as Flow, type FlowEdge, Ids, nodesOf } from './flow';
import { LOOK } from './look';
import { nameAt } from './useCanvasKeys';

/** From so many nodes on only what is in sight is drawn. */
const MANY = 80;
const NO_PROBLEMS = new Map();
const NO_WIRES: ReadonlySet<string> = new Set();

interface Props {
  /** The workflow as it ran. */
  document: Record_;
  states: Progress;
  /** The node whose data are shown. */
  selected: string | undefined;
  onOpen: (node: string) => void;
}

/** A workflow with what became of each node, to look at: the page around it scrolls, a drag moves it. */
export default function ExecutedCanvas({ document, ...props }: Props) {
  const { data: kinds } = useNodeTypes();
  const shown = useMemo(() => documentOf(document), [document]);
  const [placed, setPlaced] = useState<Doc>();
  const wanting = needsLayout(shown);
  useEffect(() => {
    if (!wanting || !kinds) return;
    let left = false;
    void import('../model/layout').then(({ laidOut }) => !left && setPlaced(laidOut(shown, kinds)));
    return () => {
      left = true;
    };
  }, [shown, kinds, wanting]);
  const doc = wanting ? placed : shown;
  if (!doc || !kinds) return null;
  return (
    <ReactFlowProvider>
      <Drawn doc={doc} kinds={kinds} {...props} />
    </ReactFlowProvider>
  );
}

function Drawn({
  doc,
  kinds,
  states,
  selected,
  onOpen,
}: { doc: Doc; kinds: ReadonlyMap<string, NodeType> } & Omit<Props, 'document'>) {
  const box = useRef<HTMLDivElement>(null);
  const { colorScheme } = useMantineColorScheme();
  const ids = useMemo(() => new Ids(), []);
  const before = useRef<{ nodes: readonly Flow[]; edges: readonly FlowEdge[] }>({ nodes: [], edges: [] });
  const nodes = useMemo(() => {
    const drawn = nodesOf(doc, { kinds, states, problems: NO_PROBLEMS }, ids, before.current.nodes);
    before.current.nodes = drawn;
    return drawn.map((node) => (ids.name(node.id) === selected ? { ...node, selected: true } : node));
  }, [doc, kinds, states, ids, selected]);
  const edges = useMemo(() => {
    before.current.edges = edgesOf(doc, states, ids, NO_WIRES, before.current.edges);
    return [...before.current.edges];
  }, [doc, states, ids]);
  const onKeyDown = (event: KeyboardEvent) => {
    const name = event.key === 'Enter' ? nameAt(ids, event.target as HTMLElement) : undefined;
    if (name) onOpen(name);
  };
  const large = doc.nodes.length > MANY;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the nodes inside have the focus; their keys come by here
    <div ref={box} className={classes.canvas} onKeyDown={onKeyDown}>
      <ReactFlow<Flow, FlowEdge>
        {...LOOK}
        nodes={nodes}
        edges={edges}
        onNodeClick={(_, node) => node.type !== 'sticky' && onOpen(ids.name(node.id))}
        colorMode={colorScheme === 'auto' ? 'system' : colorScheme}
        nodesDraggable={false}
        nodesConnectable={false}
        elementsSelectable={false}
        nodesFocusable
        edgesFocusable={false}
        panOnDrag
        panOnScroll={false}
        zoomOnScroll={false}
        preventScrolling={false}
        onlyRenderVisibleElements={large}
        aria-label={t('Workflow as it ran')}
      >
        <Furniture doc={doc} canvas={box} large={large} touch />
      </ReactFlow>
    </div>
  );
}
