/** What plugins bring to the interface; `docs/ui.md` has the contract. */
import { useQuery } from '@tanstack/react-query';
import { request } from '../api/client';
import type { Area } from './areas';

export interface Extension {
  name: string;
  /** Null: it has icons alone. */
  module: string | null;
  pages: { name: string; label: string; group: Exclude<Area['group'], ''> }[];
}

/** What a page may use. */
export interface PageTools {
  /** Asks the daemon as the page's user; throws with the daemon's words. */
  request: typeof request;
  /** To an address below `/ui/`. */
  navigate: (to: string) => void;
}

/** What a control shows. */
export interface ControlState {
  label: string;
  value: unknown;
  /** undefined leaves the value out. */
  change: (value: unknown) => void;
  readOnly: boolean;
  error: string | undefined;
  options: Readonly<Record<string, unknown>>;
}

export interface MountedControl {
  update: (state: ControlState) => void;
  unmount?: () => void;
}

/** The default export of an extension's module. */
export interface ExtensionModule {
  pages?: Readonly<Record<string, (element: HTMLElement, tools: PageTools) => (() => void) | undefined>>;
  controls?: Readonly<Record<string, (element: HTMLElement, state: ControlState) => MountedControl>>;
}

export function useExtensions() {
  return useQuery({
    queryKey: ['extensions'],
    queryFn: ({ signal }) => request<Extension[]>('GET', '/ui/extensions.json', { signal }),
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
      if (!loaded.default) throw new Error(`The module of “${name}” has no default export.`);
      return loaded.default;
    },
  });
  const absent = extensions.data && !address ? new Error(`No plugin brings “${name}”.`) : null;
  return { module: module.data, error: extensions.error ?? absent ?? module.error };
}

export const extensionPath = (extension: string, page: string) => `/ui/x/${extension}/${page}`;
