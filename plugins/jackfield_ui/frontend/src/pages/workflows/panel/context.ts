import { createContext, useContext } from 'react';
import type { Source } from '../model/data';
import type { Execution, Item } from '../queries';
import type { KnownNode } from './expression/types';

export interface PanelState {
  node: string;
  /** The node's own. */
  parameters: Readonly<Record<string, unknown>>;
  item: number;
  onItem: (item: number) => void;
  /** How many items the first input has. */
  count: number;
  execution: Execution | undefined;
  /** Where its data come from. */
  sources: readonly Source[];
  /** The first items of the first input. */
  input: readonly Item[];
  /** Item of the first input that expressions are shown for. */
  current: Item | undefined;
  /** Those that `$('...')` may name. */
  nodes: readonly KnownNode[];
  variables: readonly string[];
  editable: boolean;
}

export const PanelContext = createContext<PanelState>({
  node: '',
  parameters: {},
  item: 0,
  onItem: () => undefined,
  count: 0,
  execution: undefined,
  sources: [],
  input: [],
  current: undefined,
  nodes: [],
  variables: [],
  editable: false,
});

export const usePanel = (): PanelState => useContext(PanelContext);
