/** What a node got and gave in an execution, and how expressions name it. Pure. */
import { isRecord } from '../../../api/errors';
import type { OutputPlace } from '../../../components/useMoreItems';
import type { Execution, Item } from '../queries';
import { type Doc, wiresOf } from './document';

export interface Source {
  name: string;
  output: number;
  /** Which input of the node it comes to; undefined for nodes that are no direct parents. */
  input: number | undefined;
  /** The first of them. */
  items: readonly Item[];
  total: number;
  /** Where the others are read; undefined for pinned data. */
  place: OutputPlace | undefined;
}

function itemsIn(given: unknown): Item[] {
  if (!Array.isArray(given)) return [];
  return given.filter(isRecord).map((item) => (isRecord(item.json) ? (item as Item) : { json: item }));
}

export function pinnedOf(doc: Doc, name: string): Item[] | undefined {
  const pinned = doc.pinData?.[name];
  return Array.isArray(pinned) ? itemsIn(pinned) : undefined;
}

/** A node's last run. Names are anything: `constructor` is one, and no run of a node that did not run. */
export function lastRunOf(
  execution: Execution | undefined,
  name: string,
): Execution['nodes'][string][number] | undefined {
  return execution && Object.hasOwn(execution.nodes, name) ? execution.nodes[name]?.at(-1) : undefined;
}

/** Items of one output of a node's last run; pinned data goes before. */
export function outputOf(doc: Doc, execution: Execution | undefined, name: string, output: number): Item[] {
  const pinned = pinnedOf(doc, name);
  if (pinned) return output === 0 ? pinned : [];
  return itemsIn(lastRunOf(execution, name)?.outputs[output]);
}

type Given = Pick<Source, 'items' | 'total' | 'place'>;

/** The same with how many there are in all, and where the rest is. */
export function givenBy(doc: Doc, execution: Execution | undefined, name: string, output: number): Given {
  const items = outputOf(doc, execution, name, output);
  const run = lastRunOf(execution, name);
  if (pinnedOf(doc, name) || !execution || !run) return { items, total: items.length, place: undefined };
  const place = { execution: execution.id, run: run.index, output };
  return { items, total: run.counts?.[output] ?? items.length, place };
}

/** Where the data of a node comes from: its parents first, then all others that ran. */
export function sourcesOf(doc: Doc, execution: Execution | undefined, name: string): Source[] {
  const parents = wiresOf(doc.connections)
    .filter((wire) => wire.target === name && wire.type === 'main' && wire.source !== name)
    .map(({ source, output, input }) => ({
      name: source,
      output,
      input,
      ...givenBy(doc, execution, source, output),
    }));
  const known = new Set(parents.map((one) => one.name));
  const others = doc.nodes
    .filter((node) => node.name !== name && !known.has(node.name))
    .map((node) => ({ name: node.name, output: 0, input: undefined, ...givenBy(doc, execution, node.name, 0) }))
    .filter(({ total }) => total > 0);
  return [...parents, ...others];
}

/** What the fields of a source are called in expressions of the node. */
export function prefixOf({ name, input }: Source): string {
  return input === 0 ? '$json' : `$(${JSON.stringify(name)}).item.json`;
}
