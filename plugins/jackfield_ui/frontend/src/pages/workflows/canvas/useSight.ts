import { useReactFlow } from '@xyflow/react';
import type { FocusEvent, RefObject } from 'react';
import type { FlowNode as Flow } from './flow';

/** A node that the keyboard reaches is brought into sight. */
export function useSight(canvas: RefObject<HTMLElement | null>, nodes: readonly Flow[]) {
  const { setCenter, getZoom } = useReactFlow();
  return (event: FocusEvent): void => {
    const element = event.target as HTMLElement;
    const bounds = canvas.current?.getBoundingClientRect();
    if (!bounds || !element.matches('.react-flow__node:focus-visible')) return;
    const node = nodes.find((one) => one.id === element.getAttribute('data-id'));
    if (!node || within(element.getBoundingClientRect(), bounds)) return;
    const { width = 96, height = 96 } = node;
    void setCenter(node.position.x + width / 2, node.position.y + height / 2, { zoom: getZoom() });
  };
}

function within(inner: DOMRect, outer: DOMRect): boolean {
  return (
    inner.left >= outer.left && inner.right <= outer.right && inner.top >= outer.top && inner.bottom <= outer.bottom
  );
}
