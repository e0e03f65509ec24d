import { isRecord } from '../../api/errors';
import type { Item } from './model';

/** A field of items: its path, the types it has, in how many it is, and a value of it. */
export interface Field {
  path: string;
  name: string;
  level: number;
  types: string[];
  present: number;
  example: unknown;
}

const LOOKED_AT = 1_000;
const MOST_FIELDS = 500;
const DEEPEST = 6;

/** The fields of items, those of objects and of lists of objects below their own. The first thousand items are looked at. */
export function shapeOf(items: readonly Item[]): Field[] {
  const fields: Field[] = [];
  describe(
    items.slice(0, LOOKED_AT).map(({ json }) => json),
    '',
    0,
    fields,
  );
  return fields;
}

function describe(values: readonly unknown[], base: string, level: number, into: Field[]): void {
  const records = values.filter(isRecord);
  for (const name of namesOf(records)) {
    if (into.length >= MOST_FIELDS) return;
    const found = records.filter((record) => name in record).map((record) => record[name]);
    const path = base ? `${base}.${name}` : name;
    const types = [...new Set(found.map(typeOf))];
    const example = found.find((value) => value !== null && value !== '') ?? found[0];
    into.push({ path, name, level, types, present: found.length, example });
    if (level >= DEEPEST) continue;
    const inner = found.flatMap((value) => (Array.isArray(value) ? value.slice(0, 50) : [value])).filter(isRecord);
    const list = found.some(Array.isArray);
    if (inner.length) describe(inner, list ? `${path}[]` : path, level + 1, into);
  }
}

/** The keys of objects, each once, in the order in which they appear. */
export function namesOf(records: readonly Record<string, unknown>[]): string[] {
  return [...new Set(records.flatMap(Object.keys))];
}

export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  return typeof value === 'object' ? 'object' : typeof value === 'boolean' ? 'true/false' : typeof value;
}

/** A value in one line of at most so many characters. */
export function brief(value: unknown, most = 200): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
