import { getHotkeyHandler, useHotkeys } from '@mantine/hooks';
import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';

/** A key of a page, shown in the help that `?` opens. */
export interface Shortcut {
  /** As Mantine writes them: 'mod+S', 'shift+?', 'J'. */
  keys: string;
  label: string;
  run: (event: KeyboardEvent) => void;
  /** Also while typing in a field. */
  inFields?: boolean;
}

interface Shown {
  keys: string;
  label: string;
}

let shown: readonly Shown[] = [];
const listeners = new Set<() => void>();

function change(next: readonly Shown[]): void {
  shown = next;
  for (const listener of [...listeners]) listener();
}

/** Shortcuts while the component is mounted. Fields, menus and terminals keep their keys. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const list = JSON.stringify(shortcuts.map(({ keys, label }) => ({ keys, label })));
  useHotkeys(shortcuts.filter(({ inFields }) => !inFields).map(({ keys, run }) => [keys, run]));
  useHotkeys(
    shortcuts.filter(({ inFields }) => inFields).map(({ keys, run }) => [keys, run]),
    [],
    true,
  );
  useEffect(() => {
    const mine: Shown[] = JSON.parse(list);
    change([...shown, ...mine]);
    return () => change(shown.filter((one) => !mine.includes(one)));
  }, [list]);
}

export function useShownShortcuts(): readonly Shown[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
  );
}

const JUMP_WITHIN = 1_200;

/** g, then a letter. */
export function useJumps(jump: (letter: string) => boolean): void {
  const take = useEffectEvent(jump);
  useEffect(() => {
    let since = 0;
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return;
      if (document.querySelector('[role=dialog], [role=alertdialog]')) return;
      const pending = performance.now() - since < JUMP_WITHIN;
      since = 0;
      if (pending && take(event.key)) event.preventDefault();
      else if (event.key === 'g') since = performance.now();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

function isField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** For `onKeyDown` of one element. */
export { getHotkeyHandler };

const APPLE = /Mac|iPhone|iPad/.test(typeof navigator === 'undefined' ? '' : navigator.platform);

/** 'mod+shift+K' as the keys on this keyboard. */
export function keysOf(keys: string): string[] {
  return keys.split('+').map((key) => {
    if (key === 'mod') return APPLE ? '⌘' : 'Ctrl';
    if (key === 'shift') return APPLE ? '⇧' : 'Shift';
    if (key === 'alt') return APPLE ? '⌥' : 'Alt';
    return key.length === 1 ? key.toUpperCase() : key;
  });
}
