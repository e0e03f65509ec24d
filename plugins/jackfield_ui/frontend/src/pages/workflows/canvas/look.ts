import type { ReactFlowProps } from '@xyflow/react';
import { t } from '../../../language/messages';
import { FlowNode } from './FlowNode';
import type { FlowNode as Flow, FlowEdge } from './flow';
import { Sticky } from './Sticky';
import { WireEdge } from './WireEdge';

/** Below this zoom a name of its usual size is no longer read. */
export const FAR = 0.4;
/** The buttons of the mouse that move the canvas. */
const MOVING = [1, 2];

/** How the canvas looks and moves, as React Flow wants to know it. */
export const LOOK: ReactFlowProps<Flow, FlowEdge> = {
  nodeTypes: { node: FlowNode, sticky: Sticky },
  edgeTypes: { wire: WireEdge },
  deleteKeyCode: null,
  panOnScroll: true,
  zoomOnDoubleClick: false,
  selectNodesOnDrag: false,
  snapToGrid: true,
  snapGrid: [16, 16],
  connectionRadius: 32,
  minZoom: 0.05,
  maxZoom: 2,
  fitView: true,
  fitViewOptions: { maxZoom: 1, padding: 0.15 },
  zIndexMode: 'manual',
  proOptions: { hideAttribution: true },
  'aria-label': t('Workflow canvas'),
};

/** One finger moves the canvas; there is no box to select with. */
export const BY_TOUCH: ReactFlowProps<Flow, FlowEdge> = {
  nodesDraggable: false,
  selectionOnDrag: false,
  panOnDrag: true,
};
export const BY_MOUSE: ReactFlowProps<Flow, FlowEdge> = { selectionOnDrag: true, panOnDrag: MOVING };
