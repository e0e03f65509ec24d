import '@xyflow/react/dist/base.css';
import { useMantineColorScheme } from '@mantine/core';
import { Panel, ReactFlow, useStore as useFlow } from '@xyflow/react';
import { type MouseEvent as ReactMouseEvent, type ReactNode, useRef, useState } from 'react';
import type { DataOf } from '../live/useLive';
import type { Overlay } from '../model/marks';
import { presentDoc, useEditor, useStore } from '../model/store';
import type { NodeType } from '../queries';
import { CanvasContext, WritingContext } from './actions';
import { ContextMenu } from './ContextMenu';
import classes from './canvas.module.css';
import type { Wanted } from './edits';
import { Furniture } from './Furniture';
import type { Facts, FlowNode as Flow, FlowEdge, Ids } from './flow';
import { BY_MOUSE, BY_TOUCH, FAR, LOOK } from './look';
import { useCanvasActions } from './useCanvasActions';
import { nameAt, useCanvasKeys } from './useCanvasKeys';
import { useClipboard } from './useClipboard';
import { useConnecting } from './useConnecting';
import { useDrawn } from './useDrawn';
import { useDropping } from './useDropping';
import { useMenu } from './useMenu';
import { usePointer } from './usePointer';
import { useReturn } from './useReturn';
import { useSight } from './useSight';
import { useStable } from './useStable';
import { useViewport } from './useViewport';

/** From so many nodes on only what is in sight is drawn. Below, Tab reaches every node. */
const MANY = 80;
/** Up to so many all are drawn from far away, where most of them are in sight: none comes or goes while it moves. */
const WHOLE = 400;

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
  onConnect,
  overlay,
  onMark,
  children,
}: {
  facts: Facts;
  ids: Ids;
  editable: boolean;
  touch: boolean;
  onWanted: (wanted: Wanted) => void;
  onAdd: (kind: NodeType, wanted: Wanted) => void;
  onRunTo: (name: string, data: DataOf) => void;
  onRename: (name: string) => void;
  /** A wire is wanted from this node, without a pointer. */
  onConnect: (name: string) => void;
  /** A draft that is drawn upon the document. */
  overlay?: Overlay | undefined;
  /** Somebody wants to know what the draft does with this node. */
  onMark: (name: string) => void;
  children?: ReactNode;
}) {
  const store = useStore();
  const present = useEditor(presentDoc);
  const doc = overlay?.doc ?? present;
  const box = useRef<HTMLDivElement>(null);
  const [writing, setWriting] = useState<string>();
  const { colorScheme } = useMantineColorScheme();
  const large = doc.nodes.length > MANY;
  const whole = useFlow(({ transform: [, , zoom] }) => zoom < FAR) && doc.nodes.length <= WHOLE;
  const moving = useViewport(box, large, whole);
  useReturn(box);
  const drawn = useDrawn(facts, ids, overlay);
  const actions = useCanvasActions(ids, editable, setWriting, onWanted, onMark);
  const { place, ...pointer } = usePointer(box);
  useClipboard(editable, place);
  const { at, close, onKey, ...menu } = useMenu((element) => nameAt(ids, element));
  const keys = useCanvasKeys(ids, editable, drawn, setWriting, onMark, onKey);
  const open = useStable((_event: ReactMouseEvent, { id, type, data: { mark } }: Flow) => {
    if (mark === 'added') onMark(ids.name(id));
    else if (type !== 'sticky') store.open(ids.name(id));
  });
  const closeMenu = () => {
    const focused = drawn.nodes.find((one) => ids.name(one.id) === at?.name)?.id;
    close();
    box.current?.querySelector<HTMLElement>(focused ? `[data-id="${focused}"]` : '.react-flow__pane')?.focus();
  };

  return (
    <CanvasContext value={actions}>
      <WritingContext value={writing}>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the nodes and wires inside have the focus; their keys come by here */}
        <div
          ref={box}
          className={classes.canvas}
          {...keys}
          {...menu}
          {...pointer}
          {...useDropping(facts.kinds, onAdd)}
          onFocus={useSight(box, drawn.nodes)}
          onWheelCapture={moving.onWheelCapture}
        >
          <ReactFlow<Flow, FlowEdge>
            {...LOOK}
            {...(touch ? { ...BY_TOUCH, onNodeClick: open } : { ...BY_MOUSE, nodesDraggable: editable })}
            {...useConnecting(ids, onWanted)}
            viewport={moving.viewport}
            onViewportChange={moving.onViewportChange}
            onMoveStart={moving.onMoveStart}
            onMoveEnd={moving.onMoveEnd}
            nodes={drawn.nodes}
            edges={drawn.edges}
            onNodesChange={drawn.onNodesChange}
            onEdgesChange={drawn.onEdgesChange}
            onNodeDoubleClick={open}
            colorMode={colorScheme === 'auto' ? 'system' : colorScheme}
            nodesConnectable={editable}
            onlyRenderVisibleElements={large && !whole}
          >
            <Furniture doc={doc} canvas={box} large={large} touch={touch} />
            <Panel position="bottom-center">{children}</Panel>
          </ReactFlow>
          {at && (
            <ContextMenu
              at={at}
              onClose={closeMenu}
              editable={editable}
              kinds={facts.kinds}
              onWanted={onWanted}
              onRename={onRename}
              onConnect={onConnect}
              onRunTo={onRunTo}
              onWrite={setWriting}
            />
          )}
        </div>
      </WritingContext>
    </CanvasContext>
  );
}
