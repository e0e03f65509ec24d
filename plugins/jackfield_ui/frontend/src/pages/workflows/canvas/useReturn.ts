import { type RefObject, useEffect, useRef } from 'react';
import { useEditor } from '../model/store';

/** The focus goes back to the node whose panel was closed: Tab goes on from there. */
export function useReturn(canvas: RefObject<HTMLElement | null>): void {
  const opened = useEditor((state) => state.opened);
  const before = useRef(opened);
  useEffect(() => {
    const name = before.current;
    before.current = opened;
    if (opened !== undefined || name === undefined) return;
    // The panel gives the focus up when it is gone from the page.
    const waiting = requestAnimationFrame(() => {
      if (document.activeElement && document.activeElement !== document.body) return;
      canvas.current?.querySelector<HTMLElement>(`[data-name="${CSS.escape(name)}"]`)?.focus({ preventScroll: true });
    });
    return () => cancelAnimationFrame(waiting);
  }, [opened, canvas]);
}
