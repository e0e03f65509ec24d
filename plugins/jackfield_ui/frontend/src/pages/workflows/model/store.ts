import { createContext, useContext, useSyncExternalStore } from 'react';
import type { AttentionReason, Saved } from '../queries';
import { type Doc, documentOf, renameNode } from './document';
import { began, changed, type History, redone, undone } from './history';

export interface EditorState {
  id: string;
  history: History<Doc>;
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

/** What the editor works on. One for each workflow that is open; React reads it by `useEditor`. */
export class EditorStore {
  private state: EditorState;
  private readonly listeners = new Set<() => void>();

  constructor(saved: Saved) {
    this.state = {
      id: saved.id,
      history: began(saved.doc),
      saved: saved.doc,
      version: saved.version,
      active: saved.active,
      attention: saved.attention,
      selection: new Set(),
      opened: undefined,
    };
  }

  readonly get = (): EditorState => this.state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  get doc(): Doc {
    return this.state.history.present;
  }

  get dirty(): boolean {
    return this.doc !== this.state.saved && JSON.stringify(this.doc) !== JSON.stringify(this.state.saved);
  }

  /** `tag`: what is changed, so that typing one word is one step back. */
  commit(change: (doc: Doc) => Doc, tag?: string): void {
    const history = changed(this.state.history, change(this.doc), tag, Date.now());
    if (history !== this.state.history) this.set({ history });
  }

  undo(): void {
    this.go(undone(this.state.history));
  }

  redo(): void {
    this.go(redone(this.state.history));
  }

  private go(history: History<Doc>): void {
    const names = new Set(history.present.nodes.map(({ name }) => name));
    const selection = new Set([...this.state.selection].filter((name) => names.has(name)));
    const opened = this.state.opened !== undefined && names.has(this.state.opened) ? this.state.opened : undefined;
    this.set({ history, selection, opened });
  }

  select(names: Iterable<string>): void {
    this.set({ selection: new Set(names) });
  }

  open(name: string | undefined): void {
    this.set({ opened: name });
  }

  /** After the document's own renaming: what is selected and open follows. */
  renamed(from: string, to: string): void {
    const selection = new Set([...this.state.selection].map((name) => (name === from ? to : name)));
    this.set({ selection, opened: this.state.opened === from ? to : this.state.opened });
  }

  /** What was sent is saved now; what was typed meanwhile is not. */
  stored(sent: Doc, saved: Saved): void {
    this.set({ saved: sent, version: saved.version, active: saved.active, attention: saved.attention });
  }

  /** Another document in place of this one, which undo brings back. */
  replace(saved: Saved): void {
    const history = changed(this.state.history, saved.doc, undefined, Date.now());
    const { doc, version, active, attention } = saved;
    this.set({ history, saved: doc, version, active, attention, selection: new Set() });
  }

  activated(active: boolean, attention: readonly AttentionReason[] = []): void {
    this.set({ active, attention });
  }

  private set(part: Partial<EditorState>): void {
    this.state = { ...this.state, ...part };
    for (const listener of [...this.listeners]) listener();
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
  const store = useStore();
  return useSyncExternalStore(store.subscribe, () => part(store.get()));
}

export const presentDoc = ({ history }: EditorState): Doc => history.present;
