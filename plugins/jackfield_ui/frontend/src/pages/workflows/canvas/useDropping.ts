import { useReactFlow } from '@xyflow/react';
import type { DragEvent } from 'react';
import type { NodeType } from '../queries';
import type { Wanted } from './edits';

/** The type of what is dragged out of the palette. */
export const DRAGGED = 'application/x-jackfield-kind';

/** A node dragged out of the palette becomes one where it is let go. */
export function useDropping(kinds: ReadonlyMap<string, NodeType>, onAdd: (kind: NodeType, wanted: Wanted) => void) {
  const { screenToFlowPosition } = useReactFlow();
  return {
    onDragOver: (event: DragEvent) => {
      if (event.dataTransfer.types.includes(DRAGGED)) event.preventDefault();
    },
    onDrop: (event: DragEvent) => {
      const kind = kinds.get(event.dataTransfer.getData(DRAGGED));
      if (!kind) return;
      event.preventDefault();
      const { x, y } = screenToFlowPosition({ x: event.clientX, y: event.clientY });
      onAdd(kind, { at: { x: x - 48, y: y - 48 } });
    },
  };
}
