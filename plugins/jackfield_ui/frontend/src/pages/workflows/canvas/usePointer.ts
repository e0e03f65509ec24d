import { useReactFlow } from '@xyflow/react';
import { type PointerEvent, type RefObject, useRef } from 'react';
import type { Place } from './edits';

/** Where the pointer is in the workflow; while it is elsewhere, the middle of what is in sight. */
export function usePointer(canvas: RefObject<HTMLElement | null>) {
  const { screenToFlowPosition } = useReactFlow();
  /** On the screen. */
  const pointer = useRef<Place>(undefined);
  return {
    place: (): Place => {
      const bounds = canvas.current?.getBoundingClientRect();
      const middle = {
        x: (bounds?.left ?? 0) + (bounds?.width ?? 0) / 2,
        y: (bounds?.top ?? 0) + (bounds?.height ?? 0) / 2,
      };
      return screenToFlowPosition(pointer.current ?? middle);
    },
    onPointerMove: (event: PointerEvent) => {
      pointer.current = { x: event.clientX, y: event.clientY };
    },
    onPointerLeave: () => {
      pointer.current = undefined;
    },
  };
}
