import { useSyncExternalStore } from 'react';
import { type Direction, type Node, panes, split, without, withSession, withShare } from './layout';

export interface Tab {
  id: string;
  tree: Node;
  /** The pane that has, or had last, the focus. */
  active: string;
}

const KEY = 'jackfield.terminals';
/** A pane costs a terminal and a connection. */
export const MOST = 24;

let made = 0;
function fresh(): string {
  made += 1;
  return `${Date.now().toString(36)}-${made}`;
}

/** The tabs of this browser tab; they survive a reload. */
class WorkspaceStore {
  private tabs: readonly Tab[] = stored();
  private readonly listeners = new Set<() => void>();

  readonly now = (): readonly Tab[] => this.tabs;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** The tab that shows the session, made when there is none. */
  open(session: string): void {
    const found = this.tabs.find(({ tree }) => panes(tree).some((pane) => pane.session === session));
    if (found) {
      const pane = panes(found.tree).find((one) => one.session === session);
      if (pane && pane.id !== found.active && !this.shows(found, session)) this.activate(pane.id);
      return;
    }
    const pane = { kind: 'pane' as const, id: fresh(), session };
    this.set([...this.tabs, { id: fresh(), tree: pane, active: pane.id }]);
  }

  split(at: string, direction: Direction, session: string): void {
    const pane = { kind: 'pane' as const, id: fresh(), session };
    this.change(at, (tab) => ({ ...tab, tree: split(tab.tree, at, direction, pane, fresh()), active: pane.id }));
  }

  close(pane: string): void {
    this.set(
      this.tabs.flatMap((tab) => {
        const tree = without(tab.tree, pane);
        if (!tree) return [];
        return tab.active === pane ? [{ ...tab, tree, active: panes(tree)[0]?.id ?? '' }] : [{ ...tab, tree }];
      }),
    );
  }

  activate(pane: string): void {
    this.change(pane, (tab) => (tab.active === pane ? tab : { ...tab, active: pane }));
  }

  replace(pane: string, session: string): void {
    this.change(pane, (tab) => ({ ...tab, tree: withSession(tab.tree, pane, session) }));
  }

  share(tab: string, bar: string, share: number): void {
    this.set(this.tabs.map((one) => (one.id === tab ? { ...one, tree: withShare(one.tree, bar, share) } : one)));
  }

  private shows({ tree, active }: Tab, session: string): boolean {
    return panes(tree).some(({ id, session: shown }) => id === active && shown === session);
  }

  private change(pane: string, change: (tab: Tab) => Tab): void {
    const has = ({ tree }: Tab) => panes(tree).some(({ id }) => id === pane);
    this.set(this.tabs.map((tab) => (has(tab) ? change(tab) : tab)));
  }

  private set(tabs: readonly Tab[]): void {
    if (tabs.length === this.tabs.length && tabs.every((tab, at) => tab === this.tabs[at])) return;
    this.tabs = tabs;
    sessionStorage.setItem(KEY, JSON.stringify(tabs));
    for (const listener of [...this.listeners]) listener();
  }
}

function stored(): Tab[] {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
    return Array.isArray(found) ? found.filter(isTab) : [];
  } catch {
    return [];
  }
}

function isTab(value: Tab): boolean {
  try {
    return panes(value.tree).every(({ id, session }) => id && session) && typeof value.active === 'string';
  } catch {
    return false;
  }
}

export const workspace = new WorkspaceStore();

export function useTabs(): readonly Tab[] {
  return useSyncExternalStore(workspace.subscribe, workspace.now);
}

/** The session of a tab's active pane. */
export function sessionOf(tab: Tab): string {
  const all = panes(tab.tree);
  return (all.find(({ id }) => id === tab.active) ?? all[0])?.session ?? '';
}
