import { useMemo } from 'react';
import { type Doc, type DocNode, disconnect, type Wire } from '../model/document';
import { useStore } from '../model/store';
import type { CanvasActions } from './actions';
import type { Wanted } from './edits';
import { edgesOf, type Ids } from './flow';

/** What nodes and wires may ask for, done to the document. Always the same object. */
export function useCanvasActions(
  ids: Ids,
  editable: boolean,
  setWriting: (name: string | undefined) => void,
  onWanted: (wanted: Wanted) => void,
  onMark: (name: string) => void,
): CanvasActions {
  const store = useStore();
  return useMemo<CanvasActions>(() => {
    const wireOf = (id: string): Wire | undefined =>
      edgesOf(store.doc, new Map(), ids, new Set(), []).find((edge) => edge.id === id)?.data?.wire;
    return {
      editable,
      follow: (name, output) => onWanted({ from: { name, type: 'main', index: output, end: 'source' } }),
      open: (name) => store.open(name),
      mark: onMark,
      resized: (name, { x, y, width, height }) =>
        store.commit((now) =>
          changed(now, name, (node) => ({
            ...node,
            position: [Math.round(x), Math.round(y)],
            parameters: { ...node.parameters, width: Math.round(width), height: Math.round(height) },
          })),
        ),
      setWriting,
      write: (name, content) =>
        store.commit((now) => changed(now, name, (node) => ({ ...node, parameters: { ...node.parameters, content } }))),
      cut: (id) => {
        const wire = wireOf(id);
        if (wire) store.commit((now) => disconnect(now, [wire]));
      },
      insert: (id) => {
        const wire = wireOf(id);
        if (wire) onWanted({ wire });
      },
    };
  }, [ids, editable, store, setWriting, onWanted, onMark]);
}

function changed(doc: Doc, name: string, change: (node: DocNode) => DocNode): Doc {
  return { ...doc, nodes: doc.nodes.map((node) => (node.name === name ? change(node) : node)) };
}
