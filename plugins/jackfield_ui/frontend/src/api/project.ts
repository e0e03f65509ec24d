import { useSyncExternalStore } from 'react';

const KEY = 'jackfield.project';
const HEADER = 'X-Jackfield-Project';
/** They are about projects themselves, or about nobody's. */
const OF_ALL = /^\/api\/(session|v1\/(projects|placements|users|api-keys|auth))/;

/** The project that lists show and in which new things are made; empty: all of the user's. Kept by the browser. */
class ChosenProject {
  private id = kept();
  private readonly listeners = new Set<() => void>();

  readonly now = (): string => this.id;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  choose(id: string): void {
    if (id === this.id) return;
    this.id = id;
    try {
      if (id) localStorage.setItem(KEY, id);
      else localStorage.removeItem(KEY);
    } catch {
      // A browser that keeps nothing forgets it with the page.
    }
    for (const listener of [...this.listeners]) listener();
  }
}

function kept(): string {
  try {
    return localStorage.getItem(KEY) ?? '';
  } catch {
    return '';
  }
}

export const chosenProject = new ChosenProject();

export function useChosenProject(): string {
  return useSyncExternalStore(chosenProject.subscribe, chosenProject.now);
}

/**
 * Lists, and what makes a new thing, are about the chosen project. What names a thing by its id is not: a link to a
 * thing of another project opens it.
 */
export function askAboutProject(path: string, request: Request): void {
  const id = chosenProject.now();
  if (id && !path.includes('{') && !OF_ALL.test(path)) request.headers.set(HEADER, id);
}
