/** What a module of a plugin may use: the side of `jackfield.api`'s `browser.d.ts` that is here. */

import { useEffect, useMemo, useRef } from 'react';
import { useNavigate } from 'react-router';
import type { Asked, Host, Theme } from '../../../../../src/jackfield/api/browser';
import { send } from '../api/client';
import { isRecord } from '../api/errors';
import { notifyDone, notifyError } from '../components/notify';
import { language, locale, t } from '../language/messages';
import { useExtensions } from './extensions';
import { session } from './session';

const SCHEME = 'data-mantine-color-scheme';

/** Asks the daemon, and takes the envelope of `/api` off. Another server gets nothing, and so never the session. */
export async function requested(
  method: string,
  path: string,
  { query = {}, json, signal }: Asked = {},
): Promise<unknown> {
  const url = new URL(path, location.origin);
  if (url.origin !== location.origin) throw new Error(t('{path} is no address of this daemon.', { path }));
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const headers = new Headers(json === undefined ? [] : [['content-type', 'application/json']]);
  const body = json === undefined ? null : JSON.stringify(json);
  const answer = await send(new Request(url, { method, headers, body, signal: signal ?? null }));
  const whole: unknown = answer.status === 204 ? undefined : await answer.json();
  return isRecord(whole) && whole.success === true && 'data' in whole ? whole.data : whole;
}

/** The text in the language of the interface, with its values. */
export function worded(
  texts: Readonly<Record<string, string>>,
  values: Readonly<Record<string, unknown>> = {},
): string {
  const text = texts[language()] ?? texts.en ?? '';
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === 'number' ? value.toLocaleString(locale()) : String(value);
  });
}

const theme: Theme = {
  scheme: () => (document.documentElement.getAttribute(SCHEME) === 'dark' ? 'dark' : 'light'),
  watch: (told) => {
    const watching = new MutationObserver(() => told(theme.scheme()));
    watching.observe(document.documentElement, { attributeFilter: [SCHEME] });
    return () => watching.disconnect();
  },
};

function user(): ReturnType<Host['user']> {
  const found = session.now().info?.user;
  return found
    ? { name: found.username, role: found.role as NonNullable<ReturnType<Host['user']>>['role'] }
    : undefined;
}

/** The same object for as long as the place that shows the extension. */
export function useHost(extension: string): Host {
  const navigate = useNavigate();
  const go = useRef(navigate);
  useEffect(() => {
    go.current = navigate;
  });
  const files = useExtensions().data?.find(({ name }) => name === extension)?.files ?? '';
  return useMemo(
    () => ({
      version: 1,
      extension,
      request: requested,
      navigate: (to) => void go.current(to),
      notify: { done: notifyDone, failed: (error, title) => notifyError(error, title ?? failedTitle(extension)) },
      theme,
      user,
      language,
      words: worded,
      asset: (name) => `${files}${name}`,
    }),
    [extension, files],
  );
}

export const failedTitle = (extension: string) => t('The extension “{extension}” has failed', { extension });

const OWN_FILES = /\/ui\/extensions\/([a-z0-9-]+)\//;

/** The extension whose code an error comes from; undefined for any other. */
export function culpritOf(error: unknown): string | undefined {
  return error instanceof Error ? OWN_FILES.exec(error.stack ?? '')?.[1] : undefined;
}

function tell(event: Event, error: unknown): void {
  const extension = culpritOf(error);
  if (!extension) return;
  event.preventDefault();
  notifyError(error, failedTitle(extension));
}

// What a module does later, in events and promises, no boundary of ours catches.
addEventListener('error', (event) => tell(event, event.error));
addEventListener('unhandledrejection', (event) => tell(event, event.reason));
