/** What plugins bring to the interface; `docs/ui.md` has the contract. */
import { useQuery } from '@tanstack/react-query';
import { send } from '../api/client';
import { isRecord } from '../api/errors';
import type { Area } from './areas';

export interface Extension {
  name: string;
  /** Null: it has icons alone. */
  module: string | null;
  pages: { name: string; label: string; group: Exclude<Area['group'], ''> }[];
}

interface Asked {
  query?: Readonly<Record<string, string>>;
  json?: unknown;
}

/** What a module asks: its author knows the answer's type. The envelope of `/api` is taken off. */
export async function requested(method: string, path: string, { query = {}, json }: Asked = {}): Promise<unknown> {
  const url = new URL(path, location.origin);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const headers = new Headers(json === undefined ? [] : [['content-type', 'application/json']]);
  const body = json === undefined ? null : JSON.stringify(json);
  const answer = await send(new Request(url, { method, headers, body }));
  const whole: unknown = answer.status === 204 ? undefined : await answer.json();
  return isRecord(whole) && whole.success === true && 'data' in whole ? whole.data : whole;
}

/** What a page may use. */
export interface PageTools {
  /** Asks the daemon as the page's user; throws with the daemon's words. */
  request: typeof requested;
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
      if (!loaded.default) throw new Error(`The module of “${name}” has no default export.`);
      return loaded.default;
    },
  });
  const absent = extensions.data && !address ? new Error(`No plugin brings “${name}”.`) : null;
  return { module: module.data, error: extensions.error ?? absent ?? module.error };
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
