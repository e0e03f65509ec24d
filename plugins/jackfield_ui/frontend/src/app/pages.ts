import type { ComponentType } from 'react';
import { AREAS, type Area, areaPath } from './areas';

export interface PageRoute {
  /** Below `/ui/<area>/`: '' is the area's first page, ':id', ':id/versions' ... */
  path: string;
  load: () => Promise<{ default: ComponentType }>;
  /** Takes the whole height and width, without the shell's padding: canvases, terminals. */
  full?: boolean;
}

/** What stands in the command palette beside the pages themselves. */
export interface PageAction {
  label: string;
  /** More words that find it. */
  keywords?: string;
  /** An address below `/ui/`; `/ui/profiles?new` opens a form. */
  to: string;
  /** Who may do it; default: everybody. */
  role?: 'member' | 'admin';
}

/** The default export of every pages/<area>/routes.tsx. */
export interface PageModule {
  area: string;
  routes: readonly PageRoute[];
  actions?: readonly PageAction[];
}

const found = import.meta.glob<PageModule>('../pages/*/routes.tsx', { eager: true, import: 'default' });

export const PAGES: readonly PageModule[] = Object.values(found);

export const SHOWN_AREAS: readonly Area[] = AREAS.filter(({ id }) => PAGES.some(({ area }) => area === id));

export function hasArea(id: string): boolean {
  return SHOWN_AREAS.some((area) => area.id === id);
}

/** The area that an address belongs to. */
export function areaAt(pathname: string): Area | undefined {
  return [...SHOWN_AREAS]
    .reverse()
    .find(({ id }) => (id === 'dashboard' ? pathname === '/' : `${pathname}/`.startsWith(`${areaPath(id)}/`)));
}
