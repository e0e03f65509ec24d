/** What plugins bring to the interface; `docs/ui-extensions.md` has the contract, `jackfield.api` the types. */

import { useQuery } from '@tanstack/react-query';
import type { ExtensionModule } from '../../../../../src/jackfield/api/browser';
import { send } from '../api/client';
import { t } from '../language/messages';
import type { Area } from './areas';

export type {
  ControlMount,
  ControlState,
  ExtensionModule,
  MountedControl,
} from '../../../../../src/jackfield/api/browser';

/** Of what modules get; one that was written for a newer one is refused. */
export const VERSION = 1;

/** A page in the navigation or, in the group `Settings`, a section of the settings. */
export interface BroughtPage {
  name: string;
  label: string;
  group: Exclude<Area['group'], ''> | 'Settings';
  /** The address of a picture, of which the shape counts; null: it has none. */
  icon: string | null;
}

export interface Extension {
  name: string;
  /** Null: it has icons alone. */
  module: string | null;
  /** Where its files are; it changes with them. */
  files: string;
  pages: BroughtPage[];
}

export function useExtensions() {
  return useQuery({
    queryKey: ['extensions'],
    queryFn: async ({ signal }) =>
      (await send(new Request('/ui/extensions.json', { signal }))).json() as Promise<Extension[]>,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The module of an extension; an error says what is missing. */
export function useExtension(name: string) {
  const extensions = useExtensions();
  const address = extensions.data?.find((one) => one.name === name)?.module;
  const module = useQuery({
    queryKey: ['extensions', 'module', address],
    enabled: Boolean(address),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const loaded = (await import(/* @vite-ignore */ address ?? '')) as { default?: ExtensionModule };
      return fitting(name, loaded.default);
    },
  });
  const absent = extensions.data && !address ? new Error(t('No plugin brings “{name}”.', { name })) : null;
  return { module: module.data, error: extensions.error ?? absent ?? module.error };
}

/** A module that this interface can serve. Throws an error that names the extension. */
export function fitting(name: string, module: ExtensionModule | undefined): ExtensionModule {
  if (!module) throw new Error(t('The module of “{name}” has no default export.', { name }));
  const { api = VERSION }: { api?: number } = module;
  if (api > VERSION) {
    throw new Error(
      t('“{name}” was written for version {api} of the interface, and this one has {version}. Update Jackfield.', {
        name,
        api,
        version: VERSION,
      }),
    );
  }
  return module;
}

/** Ends what a module has drawn. Whatever it throws then is its own: the page that comes next is drawn all the same. */
export function ended(end: unknown): void {
  try {
    if (typeof end === 'function') end();
  } catch {
    // It has no place any more in which it could be shown.
  }
}

export const extensionPath = (extension: string, page: string) => `/ui/x/${extension}/${page}`;
