/** The contents of items: their fields, their files, and where a text is found in them. Pure. */

import { isRecord } from '../../api/errors';
import type { Item } from '../../api/types';
import { t } from '../../language/messages';
import type { ItemFile } from './model';

/** The keys of objects, each once, in the order in which they appear. */
export function namesOf(records: readonly Record<string, unknown>[]): string[] {
  return [...new Set(records.flatMap(Object.keys))];
}

export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}

/** A value in one line of at most so many characters: those around the text that is looked for, else the first. */
export function brief(value: unknown, most = 200, wanted = ''): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  if (text.length <= most) return text;
  const at = wanted ? text.toLowerCase().indexOf(wanted.toLowerCase()) : -1;
  const from = at < 0 ? 0 : Math.max(0, Math.min(at - Math.floor(most / 4), text.length - most));
  return `${from > 0 ? '…' : ''}${text.slice(from, from + most)}${from + most < text.length ? '…' : ''}`;
}

const IDENTIFIER = /^[\p{L}_$][\p{L}\p{N}_$]*$/u;

/** `.name`, `["two words"]`, `[0]`. */
export function accessor(path: readonly (string | number)[]): string {
  return path
    .map((part) => {
      if (typeof part === 'number') return `[${part}]`;
      return IDENTIFIER.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`;
    })
    .join('');
}

/** A field of items: its path, the types that it has, and a value of it. */
export interface SchemaField {
  path: (string | number)[];
  name: string;
  types: string[];
  sample: string;
  fields: SchemaField[];
}

const LOOKED_AT = 1_000;
const DEEP = 6;
const WIDE = 100;
const SAMPLE = 120;

/** The fields of items, those of objects and of the first elements of lists below their own. */
export function schemaOf(items: readonly Item[]): SchemaField[] {
  return fieldsOf(
    items.slice(0, LOOKED_AT).map(({ json }) => json),
    [],
  );
}

function fieldsOf(values: readonly unknown[], path: (string | number)[]): SchemaField[] {
  if (path.length >= DEEP) return [];
  const records = values.filter(isRecord);
  const named = namesOf(records)
    .slice(0, WIDE)
    .map((name) => fieldOf(name, found(records, name), path));
  const firsts = values.flatMap((value) => (Array.isArray(value) ? value.slice(0, 1) : []));
  return firsts.length ? [...named, fieldOf(0, firsts, path)] : named;
}

function found(records: readonly Record<string, unknown>[], name: string): unknown[] {
  return records.filter((record) => Object.hasOwn(record, name)).map((record) => record[name]);
}

function fieldOf(key: string | number, values: readonly unknown[], above: (string | number)[]): SchemaField {
  const path = [...above, key];
  const types = [...new Set(values.map(typeOf))];
  const told = types.length > 1 ? types.filter((type) => type !== 'null') : types;
  const sample = values.find((value) => value !== null && value !== '') ?? values[0];
  return { path, name: String(key), types: told, sample: sampleOf(sample), fields: fieldsOf(values, path) };
}

function sampleOf(value: unknown): string {
  if (Array.isArray(value))
    return `${value.length} ${t('{length, plural, one {element} other {elements}}', { length: value.length })}`;
  if (isRecord(value)) return fieldsText(Object.keys(value).length);
  return String(value).slice(0, SAMPLE);
}

const fieldsText = (many: number) => t('{many, plural, one {1 field} other {# fields}}', { many });

export function filesOf({ binary }: Item): ItemFile[] {
  if (!isRecord(binary)) return [];
  return Object.entries(binary).flatMap(([key, file]) => {
    if (!isRecord(file)) return [];
    const size = Number(file.bytes ?? Number.NaN);
    const text = (value: unknown) => (typeof value === 'string' ? value : '');
    const data = text(file.data);
    const own = file.id || !data ? undefined : sizeOfBase64(data);
    const known = Number.isFinite(size) ? size : own;
    return [{ key, name: text(file.fileName) || key, type: text(file.mimeType), size: known, data }];
  });
}

/** In bytes. */
function sizeOfBase64(data: string): number {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor((data.length * 3) / 4) - padding);
}

/** How often the text stands in the item: in names of fields, in values, and in what its files are called. */
export function hitsIn(item: Item, wanted: string): number {
  const text = wanted.toLowerCase();
  if (!text) return 0;
  const files = filesOf(item).map(({ key, name, type }) => ({ key, name: name === key ? '' : name, type }));
  return hitsInValue(item.json, text) + files.reduce((sum, file) => sum + hitsInValue(Object.values(file), text), 0);
}

/** Levels of lists and objects that are searched: hostile values have more than the browser can go down. */
const DEEPEST = 500;

/** `text`: in lower case. */
export function hitsInValue(value: unknown, text: string, level = 0): number {
  if (level > DEEPEST) return 0;
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + hitsInValue(one, text, level + 1), 0);
  if (isRecord(value)) {
    const pairs = Object.entries(value);
    return pairs.reduce((sum, [key, one]) => sum + occurrences(key, text) + hitsInValue(one, text, level + 1), 0);
  }
  return value === undefined ? 0 : occurrences(String(value), text);
}

function occurrences(whole: string, text: string): number {
  return whole.toLowerCase().split(text).length - 1;
}
