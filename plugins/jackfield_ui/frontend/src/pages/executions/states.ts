/** The states of an execution's nodes, as the canvas shows them. */
import { type NodeState, type Progress, withFailure, withRun } from '../workflows/live/progress';
import type { Run } from './model';
import type { Execution } from './queries';

/** `running`: the node that runs now. */
export function statesOf(runs: readonly Run[], running: string | undefined, error: Execution['error']): Progress {
  const found = new Map<string, NodeState>();
  const anew = new Set(runs.flatMap(({ node, reused }) => (reused ? [] : [node])));
  for (const { node, status, counts, error: failure } of runs) {
    const state = withRun(found.get(node), status === 'failed', counts, failure?.message);
    found.set(node, anew.has(node) ? state : { ...state, reused: true });
  }
  if (running !== undefined) found.set(running, { outputs: [], runs: 0, ...found.get(running), status: 'running' });
  return withFailure(found, error);
}
