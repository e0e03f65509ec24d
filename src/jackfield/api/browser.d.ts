/**
 * Version 1 of what the browser interface gives to the modules of plugins; see docs/ui-extensions.md. The version
 * changes when modules must. What is added, is optional for them.
 */

/** The default export of an extension's module. */
export interface ExtensionModule {
  /** The version that the module was written for. A newer one than the interface has is refused by name. */
  api?: 1;
  /** By the names of `BrowserPage`: draws into the element, and gives what ends it, or a promise of that. */
  pages?: Readonly<Record<string, PageMount>>;
  /** By the names that fields have in `options.extension`, behind the slash. */
  controls?: Readonly<Record<string, ControlMount>>;
}

export type PageMount = (element: HTMLElement, host: Host) => PageEnd | Promise<PageEnd>;
export type PageEnd = (() => void) | undefined | void;
export type ControlMount = (element: HTMLElement, state: ControlState, host: Host) => MountedControl;

/** What a control shows. */
export interface ControlState {
  label: string;
  value: unknown;
  /** `undefined` leaves the value out. */
  change: (value: unknown) => void;
  readOnly: boolean;
  error: string | undefined;
  /** Those of the field. */
  options: Readonly<Record<string, unknown>>;
}

export interface MountedControl {
  update: (state: ControlState) => void;
  unmount?: () => void;
}

/** What a module may use; it stays the same object for as long as its page or control is shown. */
export interface Host {
  readonly version: 1;
  /** The name of the extension. */
  readonly extension: string;
  /**
   * Asks the daemon as the user of the page, with the session and its protection against forged requests. `path` is an
   * address of this daemon. Gives the JSON of the answer, without the envelope of `/api`. Throws an error with the
   * daemon's words for an answer that is no success.
   */
  request: (method: string, path: string, more?: Asked) => Promise<unknown>;
  /** Opens an address below `/ui/`. */
  navigate: (to: string) => void;
  readonly notify: Notify;
  readonly theme: Theme;
  /** Who looks at the page; undefined while nobody is logged in. */
  user: () => { readonly name: string; readonly role: 'viewer' | 'member' | 'admin' } | undefined;
  /** The language of the interface, such as `en`. */
  language: () => string;
  /**
   * The text in the language of the interface, else in English. `{name}` stands for a value, whose numbers are written
   * as that language does.
   */
  words: (texts: Readonly<{ en: string } & Record<string, string>>, values?: Readonly<Record<string, unknown>>) => string;
  /** The address of a file of the extension, for pictures and styles. It changes with the content. */
  asset: (name: string) => string;
}

export interface Asked {
  readonly query?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly signal?: AbortSignal;
}

export interface Notify {
  /** Says for some seconds that something was done. */
  done: (message: string) => void;
  /** Shows what failed, until the user closes it. */
  failed: (error: unknown, title?: string) => void;
}

export interface Theme {
  /** The scheme that is shown. Colours of custom properties such as `--jf-surface` follow it by themselves. */
  scheme: () => 'light' | 'dark';
  /** Tells of each change of the scheme; gives what ends that. */
  watch: (told: (scheme: 'light' | 'dark') => void) => () => void;
}
