import { createContext, useContext } from 'react';

/** What nodes and wires on the canvas may ask for. Always the same object. */
export interface CanvasActions {
  editable: boolean;
  /** A node is wanted behind this output. */
  follow: (name: string, output: number) => void;
  open: (name: string) => void;
  /** What does the draft do with this node? */
  mark: (name: string) => void;
  resized: (name: string, box: { x: number; y: number; width: number; height: number }) => void;
  write: (name: string, content: string) => void;
  setWriting: (name: string | undefined) => void;
  cut: (id: string) => void;
  insert: (id: string) => void;
}

const nothing = () => undefined;

export const CanvasContext = createContext<CanvasActions>({
  editable: false,
  follow: nothing,
  open: nothing,
  mark: nothing,
  resized: nothing,
  write: nothing,
  setWriting: nothing,
  cut: nothing,
  insert: nothing,
});

/** The note that is written in. Apart, as another one would have every node drawn again. */
export const WritingContext = createContext<string | undefined>(undefined);

export const useActions = (): CanvasActions => useContext(CanvasContext);
