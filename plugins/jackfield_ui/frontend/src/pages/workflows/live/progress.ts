/** How far an execution is, node by node: from live events, or from an execution that was read. */

import { isRecord } from '../../../api/errors';
import { t } from '../../../language/messages';
import type { Execution } from '../queries';

export interface NodeState {
  status: 'running' | 'success' | 'failed';
  /** Items per output, of all runs together. */
  outputs: readonly number[];
  runs: number;
  error?: string;
  /** All of its runs are those of an earlier execution. */
  reused?: boolean;
}

export type Progress = ReadonlyMap<string, NodeState>;

export const NOTHING: Progress = new Map();

/** After one `execution.nodes`. */
export function advanced(before: Progress, data: Record<string, unknown>): Progress {
  const next = new Map(before);
  for (const [name, state] of next) if (state.status === 'running') settle(next, name, state);
  for (const one of Array.isArray(data.nodes) ? data.nodes : []) {
    if (!isRecord(one) || typeof one.node !== 'string') continue;
    const counts = Array.isArray(one.outputs) ? one.outputs.map(Number) : [];
    next.set(one.node, withRun(next.get(one.node), one.status === 'failed', counts, errorText(one.error)));
  }
  if (typeof data.running === 'string') {
    const present = next.get(data.running);
    next.set(data.running, { outputs: [], runs: 0, ...present, status: 'running' });
  }
  return next;
}

function settle(next: Map<string, NodeState>, name: string, state: NodeState): void {
  if (state.runs === 0) next.delete(name);
  else next.set(name, { ...state, status: state.error ? 'failed' : 'success' });
}

/** With one more run of the node. */
export function withRun(
  before: NodeState | undefined,
  failed: boolean,
  counts: readonly number[],
  error: string | undefined,
): NodeState {
  const most = Math.max(before?.outputs.length ?? 0, counts.length);
  const outputs = Array.from({ length: most }, (_, at) => (before?.outputs[at] ?? 0) + (counts[at] ?? 0));
  return {
    status: failed ? 'failed' : 'success',
    outputs,
    runs: (before?.runs ?? 0) + 1,
    ...(error ? { error } : failed ? { error: t('The node failed.') } : {}),
  };
}

function errorText(error: unknown): string | undefined {
  if (typeof error === 'string') return error;
  return isRecord(error) && typeof error.message === 'string' ? error.message : undefined;
}

/** `fresh`, with the objects of `before` where they say the same: what did not change is not drawn again. */
export function kept(before: Progress, fresh: Progress): Progress {
  return new Map(
    [...fresh].map(([name, state]) => {
      const old = before.get(name);
      return [name, old && same(old, state) ? old : state];
    }),
  );
}

function same(one: NodeState, other: NodeState): boolean {
  return (
    one.status === other.status &&
    one.runs === other.runs &&
    one.error === other.error &&
    one.reused === other.reused &&
    one.outputs.length === other.outputs.length &&
    one.outputs.every((items, at) => items === other.outputs[at])
  );
}

/** Of an execution that is over, or of one that runs as far as it is stored. */
export function progressOf({ nodes, status, error }: Execution): Progress {
  const found = new Map<string, NodeState>();
  for (const [name, runs] of Object.entries(nodes)) {
    for (const run of runs) {
      const counts = run.counts ?? run.outputs.map((items) => items.length);
      const state = withRun(found.get(name), run.status === 'failed', counts, errorText(run.error));
      found.set(name, runs.every(({ reused }) => reused) ? { ...state, reused: true } : state);
    }
  }
  return status === 'failed' ? withFailure(found, error) : found;
}

/** A node that stopped the execution without a run of its own is the one that failed. */
export function withFailure(found: Map<string, NodeState>, error: Execution['error']): Map<string, NodeState> {
  const node = error?.node ?? undefined;
  if (!error || node === undefined || found.get(node)?.status === 'failed') return found;
  return found.set(node, { outputs: [], runs: 1, ...found.get(node), status: 'failed', error: error.message });
}
