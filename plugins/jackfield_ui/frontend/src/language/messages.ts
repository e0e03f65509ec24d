/** The words of the interface. English stands in the source and is the key of every other language's catalogue. */
import { I18n, type Messages } from '@lingui/core';
import { createElement, Fragment, type ReactNode } from 'react';
import { compiled } from './compiled';

type Value = string | number | boolean | null | undefined;
type Values<Kind> = Readonly<Record<string, Kind>>;
/** For a tag of a message: what it encloses, and what stands around that. */
type Around = (inner: ReactNode) => ReactNode;

const i18n = new I18n({ locale: 'en', messages: { en: {} } }).setMessagesCompiler(compiled);

/** Until a message is whole, a value is a mark in it: what a user has typed is never read as a message. */
const MARK = /\uE000(\w+)\uE001/g;
/** Between context and message, as in gettext's files. */
const CONTEXT = '\u0004';
const PART = /<(\w+)>(.*?)<\/\1>|\uE000(\w+)\uE001/gs;

/** Shows the messages of a language from now on; `locale` is the language as the browser has it, such as `de-AT`. */
export function speak(language: string, locale: string, catalogue: Messages): void {
  i18n.load(language, catalogue);
  i18n.activate(language, [locale]);
}

/** For `Intl`: the language of the interface. */
export const locale = (): string => i18n.locales?.[0] ?? i18n.locale;

/** The language of the interface, such as `de`. */
export const language = (): string => i18n.locale;

function marked(message: string, values: Values<unknown>, context?: string): string {
  const marks = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'number' ? value : `\uE000${name}\uE001`,
  ]);
  return i18n._(context ? `${context}${CONTEXT}${message}` : message, Object.fromEntries(marks), { message });
}

const shown = (value: unknown) => (value === undefined || value === null || typeof value === 'boolean' ? '' : value);

/**
 * A message in the language of the interface. Without a translation it is English. `context` tells words apart that are
 * one in English only, such as the state "Open" and the command.
 */
export function t(message: string, values: Values<Value> = {}, context?: string): string {
  return marked(message, values, context).replace(MARK, (_, name: string) => String(shown(values[name])));
}

/** Sentences one after another, without those that do not apply. */
export const sentences = (...all: readonly (string | false | null | undefined)[]): string =>
  all.filter(Boolean).join(' ');

/** Phrases with commas between them, without those that do not apply. */
export const phrases = (...all: readonly (string | false | null | undefined)[]): string =>
  all.filter(Boolean).join(', ');

/** A label inside of a message: English writes it small, other languages as it is. */
export const inside = (label: string): string => (i18n.locale === 'en' ? label.toLowerCase() : label);

/** A message with elements: as values, `{count}`, and around a part of it, `<link>the settings</link>`. */
export function rich(message: string, values: Values<ReactNode | Around>): ReactNode {
  return parts(marked(message, values), values);
}

function parts(text: string, values: Values<ReactNode | Around>): ReactNode {
  const found: ReactNode[] = [];
  let from = 0;
  for (const { 0: whole, 1: tag, 2: inner = '', 3: name = '', index } of text.matchAll(PART)) {
    const value = values[tag ?? name];
    found.push(text.slice(from, index), typeof value === 'function' ? value(parts(inner, values)) : value);
    from = index + whole.length;
  }
  return createElement(Fragment, undefined, ...found, text.slice(from));
}
