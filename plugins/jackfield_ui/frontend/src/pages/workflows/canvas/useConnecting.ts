import { type Connection, type FinalConnectionState, useReactFlow } from '@xyflow/react';
import { connect } from '../model/document';
import { useStore } from '../model/store';
import type { Wanted } from './edits';
import { type FlowEdge, handleOf, type Ids } from './flow';
import { useStable } from './useStable';

/** Wires drawn with the pointer: from port to port, or to where a node is wanted. */
export function useConnecting(ids: Ids, onWanted: (wanted: Wanted) => void) {
  const store = useStore();
  const { screenToFlowPosition } = useReactFlow();
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
  return { onConnect, onConnectEnd, isValidConnection };
}

function isValidConnection({ sourceHandle, targetHandle }: FlowEdge | Connection): boolean {
  return handleOf(sourceHandle).type === handleOf(targetHandle).type;
}
