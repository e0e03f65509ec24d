/** Two executions, node by node. Pure. */
import type { Item } from '../../api/types';
import type { Run } from './model';

/** All runs of one node in one execution. */
export interface Side {
  runs: readonly Run[];
  status: string;
  /** Milliseconds, of all runs. */
  duration: number;
  /** Items of each output, of all runs. */
  counts: readonly number[];
}

export type Difference = 'state' | 'runs' | 'items' | 'data';

export interface Row {
  node: string;
  left: Side | undefined;
  right: Side | undefined;
  /** Empty: the same, as far as the items are here. How long it took is none. */
  differs: readonly Difference[];
}

/** In the order in which the nodes ran in the first, and then those that ran in the second alone. */
export function compared(left: readonly Run[], right: readonly Run[]): Row[] {
  const one = sides(left);
  const other = sides(right);
  return [...new Set([...one.keys(), ...other.keys()])].map((node) => {
    const sideLeft = one.get(node);
    const sideRight = other.get(node);
    return { node, left: sideLeft, right: sideRight, differs: differencesOf(sideLeft, sideRight) };
  });
}

function sides(runs: readonly Run[]): Map<string, Side> {
  const byNode = new Map<string, Run[]>();
  for (const run of runs) byNode.set(run.node, [...(byNode.get(run.node) ?? []), run]);
  return new Map([...byNode].map(([node, own]) => [node, sideOf(own)]));
}

function sideOf(runs: readonly Run[]): Side {
  const most = Math.max(0, ...runs.map(({ counts }) => counts.length));
  return {
    runs,
    status: runs.some(({ status }) => status === 'failed') ? 'failed' : (runs.at(-1)?.status ?? ''),
    duration: runs.reduce((sum, { duration }) => sum + duration, 0),
    counts: Array.from({ length: most }, (_, at) => runs.reduce((sum, { counts }) => sum + (counts[at] ?? 0), 0)),
  };
}

function differencesOf(left: Side | undefined, right: Side | undefined): Difference[] {
  if (!left || !right) return ['state'];
  const found: Difference[] = [];
  if (left.status !== right.status || errorsOf(left) !== errorsOf(right)) found.push('state');
  if (left.runs.length !== right.runs.length) found.push('runs');
  if (trimmed(left.counts) !== trimmed(right.counts)) found.push('items');
  if (textOf(left) !== textOf(right)) found.push('data');
  return found;
}

const errorsOf = ({ runs }: Side) => JSON.stringify(runs.map(({ error }) => error?.message ?? ''));
const textOf = ({ runs }: Side) => runs.map(({ outputs }) => itemsText(outputs?.flat() ?? [])).join('\n');
const trimmed = (counts: readonly number[]) => counts.join().replace(/(,0)+$/, '');

/** Items as text, a field a line, in the order of the fields' names: the order is no difference. */
export function itemsText(items: readonly Item[]): string {
  return JSON.stringify(items.map(shown), sortedKeys, 2);
}

/** Without the content of files, and without where an item comes from. */
function shown({ json, binary }: Item): unknown {
  if (!binary) return json;
  const files = Object.entries(binary).map(([key, file]) => [key, without(file)]);
  return { json, binary: Object.fromEntries(files) };
}

function without(file: unknown): unknown {
  if (typeof file !== 'object' || file === null) return file;
  const { data: _, id: __, ...told } = file as Record<string, unknown>;
  return told;
}

function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
