import type { KeyboardEvent } from 'react';
import { disconnect, isSticky } from '../model/document';
import { useStore } from '../model/store';
import { deleting } from './commands';
import type { Ids } from './flow';
import type { Drawn } from './useDrawn';

/** The name of the node that an element belongs to. */
export function nameAt(ids: Ids, element: Element): string | undefined {
  const id = element.closest('.react-flow__node')?.getAttribute('data-id');
  return id ? ids.name(id) : undefined;
}

/** Enter opens what has the focus, Delete removes the selected wires. `menuKey`: true when it took the key. */
export function useCanvasKeys(
  ids: Ids,
  editable: boolean,
  { wires, clearWires }: Drawn,
  setWriting: (name: string) => void,
  onMark: (name: string) => void,
  menuKey: (event: KeyboardEvent) => boolean,
) {
  const store = useStore();
  return {
    onKeyDownCapture: (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || menuKey(event)) return;
      const element = event.target as HTMLElement;
      const name = nameAt(ids, element);
      const node = store.doc.nodes.find((one) => one.name === name);
      if (name === undefined || event.key !== 'Enter' || element.closest('textarea, button, a')) return;
      event.preventDefault();
      event.stopPropagation();
      if (!node) onMark(name);
      else if (!isSticky(node)) store.open(node.name);
      else if (editable) setWriting(node.name);
    },
    onKeyDown: (event: KeyboardEvent) => {
      if ((event.key !== 'Delete' && event.key !== 'Backspace') || !editable || !wires.length) return;
      if ((event.target as HTMLElement).closest('input, textarea')) return;
      store.commit((now) => disconnect(now, wires), deleting(event.nativeEvent));
      clearWires();
    },
  };
}
