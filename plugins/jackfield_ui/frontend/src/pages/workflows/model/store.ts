import { createContext, useContext } from 'react';
import { temporal } from 'zundo';
import { createStore, useStore as useZustand } from 'zustand';
import type { AttentionReason, Saved } from '../queries';
import { type Doc, documentOf, renameNode } from './document';

/** Steps back that are kept: documents share what did not change, so that a hundred of them cost little. */
export const STEPS = 100;
/** Milliseconds within which changes of one thing are one step. */
const TOGETHER = 1_000;

/** The document with which a draft began, with what was accepted or rejected since. */
export interface Decided {
  draft: string;
  base: Doc;
}

export interface EditorState {
  id: string;
  doc: Doc;
  /** What was decided about a draft, with the document: so steps go back over both. */
  decided: Decided | undefined;
  /** The document as it is saved, and the version that it has there. */
  saved: Doc;
  version: number;
  active: boolean;
  /** Why it cannot start although it is live. */
  attention: readonly AttentionReason[];
  /** Names of the selected nodes. */
  selection: ReadonlySet<string>;
  /** The node whose panel is open. */
  opened: string | undefined;
}

/** The state, of which the document and what was decided about a draft have steps back. `isNewStep`: asked at every change of the document. */
function stateOf(initial: EditorState, isNewStep: () => boolean) {
  return createStore<EditorState>()(
    temporal(() => initial, {
      limit: STEPS,
      partialize: ({ doc, decided }) => ({ doc, decided }),
      equality: (before, now) => before.doc === now.doc && before.decided === now.decided,
      handleSet: (record) => (before) => {
        if (isNewStep()) record(before);
      },
    }),
  );
}

/** What the editor works on. One for each workflow that is open; React reads it by `useEditor`. */
export class EditorStore {
  readonly state: ReturnType<typeof stateOf>;
  /** What the last step changed, and when. */
  private last: { tag: string | undefined; at: number } = { tag: undefined, at: 0 };
  private together = false;

  constructor({ id, doc, version, active, attention }: Saved) {
    const initial = {
      id,
      doc,
      decided: undefined,
      saved: doc,
      version,
      active,
      attention,
      selection: new Set<string>(),
      opened: undefined,
    };
    this.state = stateOf(initial, () => !this.together);
  }

  readonly get = (): EditorState => this.state.getState();

  get doc(): Doc {
    return this.get().doc;
  }

  get dirty(): boolean {
    const { doc, saved } = this.get();
    return doc !== saved && JSON.stringify(doc) !== JSON.stringify(saved);
  }

  /** `tag`: what is changed, so that typing one word is one step back. */
  commit(change: (doc: Doc) => Doc, tag?: string): void {
    const doc = change(this.doc);
    if (doc === this.doc) return;
    const at = Date.now();
    this.together = tag !== undefined && tag === this.last.tag && at - this.last.at < TOGETHER;
    this.state.setState({ doc });
    this.together = false;
    this.last = { tag, at };
  }

  /** One step: the document with what was accepted of a draft, and what was decided about it. */
  decide(doc: Doc, decided: Decided): void {
    this.state.setState({ doc, decided });
    this.went();
  }

  undo(): void {
    this.state.temporal.getState().undo();
    this.went();
  }

  redo(): void {
    this.state.temporal.getState().redo();
    this.went();
  }

  /** What is selected or open and is no longer there is so no more. */
  private went(): void {
    this.last = { tag: undefined, at: 0 };
    const { doc, selection, opened } = this.get();
    const names = new Set(doc.nodes.map(({ name }) => name));
    this.state.setState({
      selection: new Set([...selection].filter((name) => names.has(name))),
      opened: opened !== undefined && names.has(opened) ? opened : undefined,
    });
  }

  select(names: Iterable<string>): void {
    this.state.setState({ selection: new Set(names) });
  }

  open(name: string | undefined): void {
    this.state.setState({ opened: name });
  }

  /** After the document's own renaming: what is selected and open follows. */
  renamed(from: string, to: string): void {
    const { selection, opened } = this.get();
    const names = [...selection].map((name) => (name === from ? to : name));
    this.state.setState({ selection: new Set(names), opened: opened === from ? to : opened });
  }

  /** What was sent is saved now; what was typed meanwhile is not. */
  stored(sent: Doc, { version, active, attention }: Saved): void {
    this.state.setState({ saved: sent, version, active, attention });
  }

  /** Another document in place of this one, which undo brings back. */
  replace({ doc, version, active, attention }: Saved): void {
    this.last = { tag: undefined, at: 0 };
    this.state.setState({ doc, saved: doc, version, active, attention, selection: new Set() });
  }

  activated(active: boolean, attention: readonly AttentionReason[] = []): void {
    this.state.setState({ active, attention });
  }
}

/** Wires, pins and expressions follow. `onRenamed` is told before anything is drawn. */
export function renameIn(
  store: EditorStore,
  from: string,
  wanted: string,
  onRenamed: (from: string, to: string) => void,
): void {
  const index = store.doc.nodes.findIndex((one) => one.name === from);
  const next = renameNode(store.doc, from, wanted);
  if (next === store.doc) return;
  const to = next.nodes[index]?.name ?? from;
  onRenamed(from, to);
  store.commit(() => next);
  store.renamed(from, to);
}

export const EditorContext = createContext<EditorStore>(
  new EditorStore({ id: '', doc: documentOf({}), active: false, attention: [], version: 0 }),
);

export function useStore(): EditorStore {
  return useContext(EditorContext);
}

/** A part of the state; it must be the same object while nothing changes. */
export function useEditor<Part>(part: (state: EditorState) => Part): Part {
  return useZustand(useStore().state, part);
}

/** Whether there is a step back, and one forth. */
export function useSteps(): { back: boolean; forth: boolean } {
  const { temporal: steps } = useStore().state;
  const back = useZustand(steps, ({ pastStates }) => pastStates.length > 0);
  const forth = useZustand(steps, ({ futureStates }) => futureStates.length > 0);
  return { back, forth };
}

export const presentDoc = ({ doc }: EditorState): Doc => doc;
