import { createContext, useContext } from 'react';
import type { Execution, Item } from '../queries';

export interface PanelState {
  node: string;
  item: number;
  execution: Execution | undefined;
  /** Item of the first input that expressions are shown for. */
  current: Item | undefined;
  /** Names that `$('...')` may have. */
  nodes: readonly string[];
  variables: readonly string[];
  editable: boolean;
}

export const PanelContext = createContext<PanelState>({
  node: '',
  item: 0,
  execution: undefined,
  current: undefined,
  nodes: [],
  variables: [],
  editable: false,
});

export const usePanel = (): PanelState => useContext(PanelContext);
