import { createContext, useContext } from 'react';

/** What nodes and wires on the canvas may ask for. Always the same object, so that nobody is drawn again for it. */
export interface CanvasActions {
  editable: boolean;
  /** A node is wanted behind this output. */
  follow: (name: string, output: number) => void;
  open: (name: string) => void;
  resized: (name: string, box: { x: number; y: number; width: number; height: number }) => void;
  write: (name: string, content: string) => void;
  cut: (id: string) => void;
  insert: (id: string) => void;
}

const nothing = () => undefined;

export const CanvasContext = createContext<CanvasActions>({
  editable: false,
  follow: nothing,
  open: nothing,
  resized: nothing,
  write: nothing,
  cut: nothing,
  insert: nothing,
});

export const useActions = (): CanvasActions => useContext(CanvasContext);
