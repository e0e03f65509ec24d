import { isRecord } from '../../api/errors';
import type { Item } from '../../api/types';
import { t } from '../../language/messages';

/** One run of one node. `outputs` is missing for one that only an event has told of. */
export interface Run {
  node: string;
  /** How often this node ran before. */
  run: number;
  /** Its number in the execution. */
  index: number;
  /** Unix ms. */
  startedAt: number;
  /** Milliseconds. */
  duration: number;
  status: string;
  error: { message: string; itemIndex?: number } | undefined;
  /** Items of each output. */
  counts: number[];
  outputs: Item[][] | undefined;
  /** It ran in an earlier execution. */
  reused?: boolean;
}

interface StoredRun {
  index: number;
  startedAt: string;
  duration: number;
  status: string;
  error?: Record<string, unknown> | null | undefined;
  outputs?: unknown;
  counts?: number[] | null | undefined;
  reused?: boolean | null | undefined;
}

/** The runs of an execution in their order; `live` are those that events told of since. */
export function runsOf(nodes: Readonly<Record<string, readonly StoredRun[]>>, live: readonly Run[] = []): Run[] {
  const stored = Object.entries(nodes).flatMap(([node, runs]) => runs.map((run, at) => storedRun(node, run, at)));
  const known = new Set(stored.map(({ index }) => index));
  return [...stored, ...live.filter(({ index }) => !known.has(index))].sort((a, b) => a.index - b.index);
}

function storedRun(node: string, run: StoredRun, at: number): Run {
  const outputs = (Array.isArray(run.outputs) ? run.outputs : []).map((items) => (Array.isArray(items) ? items : []));
  return {
    node,
    run: at,
    index: run.index,
    startedAt: Date.parse(run.startedAt),
    duration: run.duration,
    status: run.status,
    error: errorOf(run.error),
    counts: run.counts ?? outputs.map((items) => items.length),
    outputs,
    ...(run.reused ? { reused: true } : {}),
  };
}

/** What an `execution.nodes` event says of one run; undefined for what is none. */
export function liveRun(told: unknown): Run | undefined {
  if (!isRecord(told) || typeof told.node !== 'string' || typeof told.index !== 'number') return undefined;
  return {
    node: told.node,
    run: Number(told.run ?? 0),
    index: told.index,
    startedAt: Number(told.startedAt),
    duration: Number(told.duration),
    status: String(told.status),
    error: errorOf(told.error),
    counts: Array.isArray(told.outputs) ? told.outputs.map(Number) : [],
    outputs: undefined,
  };
}

function errorOf(error: unknown): Run['error'] {
  if (typeof error === 'string') return { message: error };
  if (!isRecord(error)) return undefined;
  const item = typeof error.itemIndex === 'number' ? { itemIndex: error.itemIndex } : {};
  return { message: String(error.message ?? t('It failed.')), ...item };
}

/**
 * Where a run's bar begins and how wide it is, in percent of all the time that the runs took; without those of an
 * earlier execution, which stand at the beginning.
 */
export function scale(all: readonly Run[]): (run: Run) => { left: number; width: number } {
  const runs = all.filter(({ reused }) => !reused);
  const from = Math.min(...runs.map(({ startedAt }) => startedAt));
  const to = Math.max(...runs.map(({ startedAt, duration }) => startedAt + duration));
  const whole = Math.max(1, to - from);
  return ({ startedAt, duration, reused }) => {
    if (reused) return { left: 0, width: 0 };
    const left = Math.min(99.5, ((startedAt - from) / whole) * 100);
    return { left, width: Math.min(100 - left, Math.max(0.5, (duration / whole) * 100)) };
  };
}

export interface Wire {
  from: string;
  output: number;
  to: string;
  input: number;
}

/** The main wires of a workflow document. */
export function wiresOf(connections: unknown): Wire[] {
  if (!isRecord(connections)) return [];
  return Object.entries(connections).flatMap(([from, kinds]) => {
    const outputs = isRecord(kinds) && Array.isArray(kinds.main) ? kinds.main : [];
    return outputs.flatMap((targets: unknown, output) =>
      (Array.isArray(targets) ? targets : []).filter(isRecord).map((target) => ({
        from,
        output,
        to: String(target.node),
        input: Number(target.index ?? 0),
      })),
    );
  });
}

export interface Input {
  /** The run that the items came from. */
  from: Run;
  output: number;
  input: number;
  /** The first of them. */
  items: Item[];
}

/**
 * What a run was given. It is not stored: it is the output of the nodes before it. Of several outputs that wait at
 * one input, each run takes the oldest.
 */
export function inputsOf(runs: readonly Run[], wanted: Run, wires: readonly Wire[]): Input[] {
  const leading = wires.filter(({ to }) => to === wanted.node);
  const numbers = [...new Set(leading.map(({ input }) => input))].sort((a, b) => a - b);
  const taken = new Set<string>();
  let given: Input[] = [];
  for (const run of runs.filter(({ node, index }) => node === wanted.node && index <= wanted.index)) {
    given = numbers.flatMap((number) => {
      const waiting = leading
        .filter(({ input }) => input === number)
        .flatMap((wire) => offers(runs, wire, run.index))
        .filter(({ key }) => !taken.has(key))
        .sort((a, b) => a.from.index - b.from.index)[0];
      if (!waiting) return [];
      taken.add(waiting.key);
      return [waiting];
    });
  }
  return given;
}

function offers(runs: readonly Run[], { from, output, input }: Wire, before: number) {
  return runs.flatMap((run) => {
    const items = run.outputs?.[output];
    if (run.node !== from || run.index >= before || !items || !run.counts[output]) return [];
    return [{ from: run, output, input, items, key: `${run.index}.${output}.${input}` }];
  });
}
