/** What is done to the selected nodes and to the canvas, by key and by menu. Each is one step back. */

import { readEveryItem } from '../../../components/useMoreItems';
import { t } from '../../../language/messages';
import { copied, parsed, pasted } from '../model/clipboard';
import { givenBy } from '../model/data';
import {
  addNode,
  changeNode,
  type Doc,
  freeName,
  isSticky,
  namesOf,
  newId,
  removeNodes,
  setKey,
} from '../model/document';
import type { EditorStore } from '../model/store';
import type { Execution, NodeType } from '../queries';
import { offsetOf, type Place, snapped } from './edits';

const STICKY = { content: '## Note\n', width: 240, height: 160 };

/** Nodes and wires that one key deletes come back together: the tag of their changes. */
export const deleting = ({ timeStamp }: Event) => `delete ${timeStamp}`;

export function remove(store: EditorStore, names: ReadonlySet<string>, tag?: string): void {
  if (!names.size) return;
  store.commit((doc) => removeNodes(doc, names), tag);
  store.select([]);
}

export function duplicate(store: EditorStore, names: ReadonlySet<string>): void {
  const fragment = parsed(copied(store.doc, names));
  if (!fragment) return;
  const result = pasted(store.doc, fragment, offsetOf(store.doc, names));
  store.commit(() => result.doc);
  store.select(result.names);
}

/** All of them off, or on where all are off. */
export function disable(store: EditorStore, names: ReadonlySet<string>): void {
  const chosen = store.doc.nodes.filter((node) => names.has(node.name) && !isSticky(node));
  const off = chosen.some((node) => !node.disabled);
  if (!chosen.length) return;
  store.commit((doc) =>
    chosen.reduce(
      (next, { name }) => changeNode(next, name, (node) => setKey(node, 'disabled', off || undefined)),
      doc,
    ),
  );
}

export function isPinned(store: EditorStore, name: string): boolean {
  return Array.isArray(store.doc.pinData?.[name]);
}

/** Characters of JSON: a pin is a part of the workflow and of each of its versions. */
export const MOST_PINNED = 12_000_000;

/** The node's data from now on; undefined: what it gives. */
export function setPin(store: EditorStore, name: string, items: unknown): void {
  store.commit((doc) => {
    const { [name]: _, ...others } = doc.pinData ?? {};
    return { ...doc, pinData: items === undefined ? others : { ...others, [name]: items } };
  });
}

/** Data of several nodes, in one step back. */
export function setPins(store: EditorStore, pins: ReadonlyMap<string, unknown>): void {
  if (pins.size) store.commit((doc) => ({ ...doc, pinData: { ...doc.pinData, ...Object.fromEntries(pins) } }));
}

/** What the node gave last, of its first output, in the form of a pin. */
export async function lastOutput(doc: Doc, name: string, execution: Execution | undefined) {
  const { items, total, place } = givenBy(doc, execution, name, 0);
  const all = place && items.length < total ? await readEveryItem(place, MOST_PINNED) : items;
  if (!all.length) throw new Error(t('It has no output yet: run the workflow first.'));
  return all.map(({ json, binary }) => (binary ? { json, binary } : { json }));
}

export function paste(store: EditorStore, text: string, at: Place): string[] | undefined {
  const fragment = parsed(text);
  if (!fragment) return undefined;
  const { doc, names } = pasted(store.doc, fragment, at);
  store.commit(() => doc);
  store.select(names);
  return names;
}

export function addNote(store: EditorStore, at: Place): void {
  const name = freeName('Sticky Note', namesOf(store.doc));
  const type = 'jackfield.stickyNote';
  const position = snapped(at);
  const parameters = { ...STICKY };
  store.commit((doc) => addNode(doc, { id: newId(), name, type, typeVersion: 1, position, parameters }));
  store.select([name]);
}

export function colour(store: EditorStore, names: ReadonlySet<string>, color: number): void {
  store.commit((doc) => ({
    ...doc,
    nodes: doc.nodes.map((node) =>
      names.has(node.name) && isSticky(node) ? { ...node, parameters: { ...node.parameters, color } } : node,
    ),
  }));
}

export function selectAll(store: EditorStore): void {
  store.select(store.doc.nodes.map(({ name }) => name));
}

export async function tidyUp(store: EditorStore, kinds: ReadonlyMap<string, NodeType>): Promise<void> {
  const { laidOut } = await import('../model/layout');
  store.commit((doc) => laidOut(doc, kinds));
}

export { copied };
