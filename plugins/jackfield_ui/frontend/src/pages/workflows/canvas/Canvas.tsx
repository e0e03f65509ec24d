import '@xyflow/react/dist/base.css';
import { useMantineColorScheme } from '@mantine/core';
import {
  applyNodeChanges,
  Background,
  BackgroundVariant,
  type Connection,
  Controls,
  type EdgeChange,
  type FinalConnectionState,
  MiniMap,
  type NodeChange,
  Panel,
  ReactFlow,
  useReactFlow,
} from '@xyflow/react';
import {
  type DragEvent,
  type KeyboardEvent,
  type MouseEvent as ReactMouseEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { connect, disconnect, isSticky, move, type Wire } from '../model/document';
import { presentDoc, useEditor, useStore } from '../model/store';
import type { Kind } from '../queries';
import { type CanvasActions, CanvasContext, WritingContext } from './actions';
import { ContextMenu } from './ContextMenu';
import classes from './canvas.module.css';
import { deleting } from './commands';
import type { Place, Wanted } from './edits';
import { FlowNode } from './FlowNode';
import { edgesOf, type Facts, type FlowNode as Flow, type FlowEdge, handleOf, type Ids, nodesOf, placed } from './flow';
import { Distance, Ground } from './Ground';
import { Sticky } from './Sticky';
import { useClipboard } from './useClipboard';
import { useMenu } from './useMenu';
import { useStable } from './useStable';
import { useViewport } from './useViewport';
import { WireEdge } from './WireEdge';

const NODE_TYPES = { node: FlowNode, sticky: Sticky };
const EDGE_TYPES = { wire: WireEdge };
const GRID: [number, number] = [16, 16];
const FIT = { maxZoom: 1, padding: 0.15 };
const NO_NAME = { hideAttribution: true };
/** The buttons of the mouse that move the canvas. */
const MOVING = [1, 2];
const MAP_FROM = 8;
/** From so many nodes on only what is in sight is drawn. Below, Tab reaches every node. */
const MANY = 80;
export const DRAGGED = 'application/x-jackfield-kind';

const isValidConnection = ({ sourceHandle, targetHandle }: FlowEdge | Connection) =>
  handleOf(sourceHandle).type === handleOf(targetHandle).type;
const mapColour = ({ type }: Flow) => (type === 'sticky' ? 'var(--jf-line)' : 'var(--mantine-color-dimmed)');

/** The document, drawn. Every change goes through the store, so that it can be undone. */
export function Canvas({
  facts,
  ids,
  editable,
  touch,
  onWanted,
  onAdd,
  onRunTo,
  onRename,
  children,
}: {
  facts: Facts;
  ids: Ids;
  editable: boolean;
  /** One finger moves the canvas; there is no box to select with. */
  touch: boolean;
  onWanted: (wanted: Wanted) => void;
  onAdd: (kind: Kind, wanted: Wanted) => void;
  onRunTo: (name: string) => void;
  onRename: (name: string) => void;
  children?: ReactNode;
}) {
  const store = useStore();
  const doc = useEditor(presentDoc);
  const [writing, setWriting] = useState<string>();
  const selection = useEditor((state) => state.selection);
  const { colorScheme } = useMantineColorScheme();
  const { screenToFlowPosition, setCenter, getZoom } = useReactFlow();
  const [nodes, setNodes] = useState<Flow[]>(() => nodesOf(doc, facts, ids, []));
  const [wires, setWires] = useState<ReadonlySet<string>>(new Set());
  /** On the screen. */
  const pointer = useRef<Place>(undefined);
  const box = useRef<HTMLDivElement>(null);
  const large = doc.nodes.length > MANY;
  const moving = useViewport(box, large);

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
  const drawn = useRef<readonly FlowEdge[]>([]);
  const edges = useMemo(() => {
    const next = edgesOf(doc, facts.states, ids, wires, drawn.current);
    drawn.current = next;
    return next;
  }, [doc, facts.states, ids, wires]);

  const middle = useCallback((): Place => {
    const bounds = box.current?.getBoundingClientRect();
    return screenToFlowPosition({
      x: (bounds?.left ?? 0) + (bounds?.width ?? 0) / 2,
      y: (bounds?.top ?? 0) + (bounds?.height ?? 0) / 2,
    });
  }, [screenToFlowPosition]);
  useClipboard(editable, () => (pointer.current ? screenToFlowPosition(pointer.current) : middle()));

  const onNodesChange = useStable((changes: NodeChange<Flow>[]) => {
    const wanted = changes.filter(({ type }) => type !== 'remove');
    setNodes((before) => applyNodeChanges(wanted, before).map(placed));
    const chosen = changes.filter((change) => change.type === 'select');
    if (chosen.length) {
      const next = new Set(store.get().selection);
      for (const { id, selected } of chosen) {
        if (selected) next.add(ids.name(id));
        else next.delete(ids.name(id));
      }
      store.select(next);
    }
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
  const onEdgesChange = useStable((changes: EdgeChange<FlowEdge>[]) => {
    const chosen = changes.filter((change) => change.type === 'select');
    if (!chosen.length) return;
    setWires((before) => {
      const next = new Set(before);
      for (const { id, selected } of chosen) {
        if (selected) next.add(id);
        else next.delete(id);
      }
      return next;
    });
  });
  const wireOf = useCallback(
    (id: string): Wire | undefined =>
      edgesOf(store.doc, new Map(), ids, new Set(), []).find((edge) => edge.id === id)?.data?.wire,
    [store, ids],
  );

  const actions = useMemo<CanvasActions>(
    () => ({
      editable,
      follow: (name, output) => onWanted({ from: { name, type: 'main', index: output, end: 'source' } }),
      open: (name) => store.open(name),
      resized: (name, { x, y, width, height }) =>
        store.commit((now) => ({
          ...now,
          nodes: now.nodes.map((node) =>
            node.name === name
              ? {
                  ...node,
                  position: [Math.round(x), Math.round(y)],
                  parameters: { ...node.parameters, width: Math.round(width), height: Math.round(height) },
                }
              : node,
          ),
        })),
      setWriting,
      write: (name, content) =>
        store.commit((now) => ({
          ...now,
          nodes: now.nodes.map((node) =>
            node.name === name ? { ...node, parameters: { ...node.parameters, content } } : node,
          ),
        })),
      cut: (id) => {
        const wire = wireOf(id);
        if (wire) store.commit((now) => disconnect(now, [wire]));
      },
      insert: (id) => {
        const wire = wireOf(id);
        if (wire) onWanted({ wire });
      },
    }),
    [editable, store, onWanted, wireOf],
  );

  const onConnect = useStable(({ source, sourceHandle, target, targetHandle }: Connection) => {
    const from = handleOf(sourceHandle);
    const to = handleOf(targetHandle);
    store.commit((now) =>
      connect(now, {
        source: ids.name(source),
        type: from.type,
        output: from.index,
        target: ids.name(target),
        targetType: to.type,
        input: to.index,
      }),
    );
  });
  const onConnectEnd = useStable((event: MouseEvent | TouchEvent, end: FinalConnectionState) => {
    const { fromHandle, toHandle, toNode } = end;
    if (toHandle || toNode || !fromHandle) return;
    const at = 'changedTouches' in event ? event.changedTouches[0] : event;
    if (!at) return;
    const place = screenToFlowPosition({ x: at.clientX, y: at.clientY });
    const { type } = fromHandle;
    onWanted({
      at: { x: type === 'source' ? place.x : place.x - 96, y: place.y - 48 },
      from: { name: ids.name(fromHandle.nodeId), ...handleOf(fromHandle.id), end: type },
    });
  });
  const open = useStable(
    (_event: ReactMouseEvent, node: Flow) => node.type !== 'sticky' && store.open(ids.name(node.id)),
  );
  const onDrop = (event: DragEvent) => {
    const kind = facts.kinds.get(event.dataTransfer.getData(DRAGGED));
    if (!kind) return;
    event.preventDefault();
    const { x, y } = screenToFlowPosition({ x: event.clientX, y: event.clientY });
    onAdd(kind, { at: { x: x - 48, y: y - 48 } });
  };
  const nameAt = (element: Element) => {
    const id = element.closest('.react-flow__node')?.getAttribute('data-id');
    return id ? ids.name(id) : undefined;
  };
  const menu = useMenu(nameAt);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || menu.onKey(event)) return;
    const element = event.target as HTMLElement;
    const name = nameAt(element);
    const node = store.doc.nodes.find((one) => one.name === name);
    if (!node || event.key !== 'Enter' || element.closest('textarea, button, a')) return;
    event.preventDefault();
    event.stopPropagation();
    if (!isSticky(node)) store.open(node.name);
    else if (editable) setWriting(node.name);
  };
  const closeMenu = () => {
    const focused = nodes.find((one) => ids.name(one.id) === menu.at?.name)?.id;
    menu.close();
    box.current?.querySelector<HTMLElement>(focused ? `[data-id="${focused}"]` : '.react-flow__pane')?.focus();
  };
  // A node that the keyboard reaches is brought into sight.
  const onFocus = (event: React.FocusEvent) => {
    const element = event.target as HTMLElement;
    const id = element.getAttribute?.('data-id');
    const bounds = box.current?.getBoundingClientRect();
    if (!id || !bounds || !element.matches('.react-flow__node:focus-visible')) return;
    const place = element.getBoundingClientRect();
    const inside =
      place.left >= bounds.left &&
      place.right <= bounds.right &&
      place.top >= bounds.top &&
      place.bottom <= bounds.bottom;
    const node = nodes.find((one) => one.id === id);
    if (inside || !node) return;
    const { width = 96, height = 96 } = node;
    void setCenter(node.position.x + width / 2, node.position.y + height / 2, { zoom: getZoom() });
  };
  const removeWires = (event: KeyboardEvent) => {
    if ((event.key !== 'Delete' && event.key !== 'Backspace') || !editable || !wires.size) return;
    if ((event.target as HTMLElement).closest('input, textarea')) return;
    const chosen = edges.flatMap(({ id, data }) => (wires.has(id) && data ? [data.wire] : []));
    if (chosen.length) store.commit((now) => disconnect(now, chosen), deleting(event.nativeEvent));
    setWires(new Set());
  };

  return (
    <CanvasContext value={actions}>
      <WritingContext value={writing}>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the nodes and wires inside have the focus; their keys come by here */}
        <div
          ref={box}
          className={classes.canvas}
          onKeyDownCapture={onKeyDown}
          onPointerDownCapture={menu.onPointerDownCapture}
          onPointerUpCapture={menu.onPointerUpCapture}
          onContextMenu={menu.onContextMenu}
          onKeyDown={removeWires}
          onFocus={onFocus}
          onWheelCapture={moving.onWheelCapture}
          onPointerMove={(event) => {
            pointer.current = { x: event.clientX, y: event.clientY };
          }}
          onPointerLeave={() => {
            pointer.current = undefined;
          }}
          onDragOver={(event) => {
            if (event.dataTransfer.types.includes(DRAGGED)) event.preventDefault();
          }}
          onDrop={onDrop}
        >
          <ReactFlow<Flow, FlowEdge>
            nodes={nodes}
            edges={edges}
            nodeTypes={NODE_TYPES}
            edgeTypes={EDGE_TYPES}
            onNodesChange={onNodesChange}
            onEdgesChange={onEdgesChange}
            viewport={moving.viewport}
            onViewportChange={moving.onViewportChange}
            onMoveStart={moving.onMoveStart}
            onMoveEnd={moving.onMoveEnd}
            onConnect={onConnect}
            onConnectEnd={onConnectEnd}
            isValidConnection={isValidConnection}
            onNodeDoubleClick={open}
            {...(touch ? { onNodeClick: open } : {})}
            colorMode={colorScheme === 'auto' ? 'system' : colorScheme}
            nodesDraggable={editable && !touch}
            nodesConnectable={editable}
            deleteKeyCode={null}
            selectionOnDrag={!touch}
            panOnDrag={touch ? true : MOVING}
            panOnScroll
            zoomOnDoubleClick={false}
            selectNodesOnDrag={false}
            snapToGrid
            snapGrid={GRID}
            connectionRadius={32}
            minZoom={0.05}
            maxZoom={2}
            onlyRenderVisibleElements={large}
            fitView
            fitViewOptions={FIT}
            zIndexMode="manual"
            proOptions={NO_NAME}
            aria-label="Workflow canvas"
          >
            {/* A pattern is dear to draw again and again; a large canvas has enough to hold on to. */}
            {large ? <Ground doc={doc} /> : <Background variant={BackgroundVariant.Dots} gap={16} size={1} />}
            <Distance canvas={box} />
            <Controls showInteractive={false} position="bottom-left" aria-label="Zoom" />
            {doc.nodes.length >= MAP_FROM && !touch && (
              <MiniMap
                position="bottom-right"
                pannable
                zoomable
                ariaLabel="Overview"
                nodeColor={mapColour}
                maskColor="color-mix(in srgb, var(--jf-sunken) 70%, transparent)"
              />
            )}
            <Panel position="bottom-center">{children}</Panel>
          </ReactFlow>
          {menu.at && (
            <ContextMenu
              at={menu.at}
              onClose={closeMenu}
              editable={editable}
              kinds={facts.kinds}
              onWanted={onWanted}
              onRename={onRename}
              onRunTo={onRunTo}
              onWrite={setWriting}
            />
          )}
        </div>
      </WritingContext>
    </CanvasContext>
  );
}
