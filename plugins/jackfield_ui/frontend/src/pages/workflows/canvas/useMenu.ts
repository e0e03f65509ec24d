import { type KeyboardEvent, type PointerEvent, type MouseEvent as ReactMouseEvent, useRef, useState } from 'react';
import type { MenuAt } from './ContextMenu';

/** So far, in pixels, a press may wander that is no drag. */
const STILL = 4;

/**
 * When the canvas' menu opens: the right button let go where it was pressed (dragged, it moves the canvas), a long
 * touch, the menu key and Shift+F10. `nameOf`: of the node that an element belongs to.
 */
export function useMenu(nameOf: (element: Element) => string | undefined) {
  const [at, setAt] = useState<MenuAt>();
  const pressed = useRef<{ x: number; y: number }>(undefined);
  const open = (x: number, y: number, element: Element) => setAt({ x, y, name: nameOf(element) });
  const target = (event: { target: EventTarget }) => (event.target instanceof Element ? event.target : undefined);

  return {
    at,
    close: () => setAt(undefined),
    onPointerDownCapture: (event: PointerEvent) => {
      pressed.current = event.button === 2 ? { x: event.clientX, y: event.clientY } : undefined;
    },
    onPointerUpCapture: (event: PointerEvent) => {
      const from = pressed.current;
      const element = target(event);
      pressed.current = undefined;
      if (!from || event.button !== 2 || !element || writes(element)) return;
      if (Math.hypot(event.clientX - from.x, event.clientY - from.y) > STILL) return;
      open(event.clientX, event.clientY, element);
    },
    onContextMenu: (event: ReactMouseEvent) => {
      const element = target(event);
      if (!element || writes(element)) return;
      event.preventDefault();
      const { pointerType } = event.nativeEvent as globalThis.PointerEvent;
      if (pointerType === 'touch') open(event.clientX, event.clientY, element);
    },
    /** True when the key was taken. */
    onKey: (event: KeyboardEvent): boolean => {
      if (event.key !== 'ContextMenu' && !(event.key === 'F10' && event.shiftKey)) return false;
      const element = target(event);
      if (!element || writes(element)) return false;
      event.preventDefault();
      event.stopPropagation();
      const node = element.closest('.react-flow__node') ?? event.currentTarget;
      const { left, top, width, height } = node.getBoundingClientRect();
      open(left + width / 2, top + height / 2, element);
      return true;
    },
  };
}

function writes(element: Element): boolean {
  return element.closest('textarea, input, [contenteditable="true"]') !== null;
}
