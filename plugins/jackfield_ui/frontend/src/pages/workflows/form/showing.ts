/** Whether a field is shown: n8n's rules for `displayOptions`, as `jackfield.api.nodes.showing` has them. */
import { isRecord } from '../../../api/errors';
import type { NodeField, Values, When } from './model';
import { isExpression } from './values';

/**
 * values: beside the field, with their defaults. top: of the whole node. The keys of `show` are looked at in turn: one that
 * does not fit hides the field, and one with an expression shows it, because its value is not known yet.
 */
export function isShown(when: When | null | undefined, values: Values, top: Values, version: number): boolean {
  for (const [name, wanted] of Object.entries(when?.show ?? {})) {
    const found = valuesOf(name, values, top, version);
    if (found.some(isExpression)) return true;
    if (!suits(found, wanted)) return false;
  }
  return !Object.entries(when?.hide ?? {}).some(([name, wanted]) => {
    const found = valuesOf(name, values, top, version);
    return found.length > 0 && suits(found, wanted);
  });
}

/** Those that are shown, of each name the first. */
export function shownFields(
  fields: readonly NodeField[],
  values: Values,
  top: Values,
  version: number,
): readonly NodeField[] {
  const shown = new Map<string, NodeField>();
  for (const field of fields) {
    if (!shown.has(field.name) && isShown(field.when, values, top, version)) shown.set(field.name, field);
  }
  return [...shown.values()];
}

/** What the fields of one level hold, with the defaults of what is not set. A default may show another field. */
export function withDefaults(fields: readonly NodeField[], given: Values, top: Values, version: number): Values {
  const known: Record<string, unknown> = { ...given };
  const asked = new Set(Object.keys(known));
  const resolve = (name: string): void => {
    if (asked.has(name)) return;
    asked.add(name);
    for (const field of fields) {
      if (field.name !== name) continue;
      for (const other of namesIn(field.when)) resolve(other);
      if (!isShown(field.when, known, top === given ? known : top, version)) continue;
      if (field.default !== undefined && field.default !== null) known[name] = field.default;
      return;
    }
  };
  for (const { name } of fields) resolve(name);
  return known;
}

function namesIn(when: When | null | undefined): string[] {
  return [...Object.keys(when?.show ?? {}), ...Object.keys(when?.hide ?? {})].map(
    (name) => name.replace(/^\//, '').split('.')[0] ?? name,
  );
}

/** Of a list, its elements; of a locator, what it names. */
function valuesOf(name: string, values: Values, top: Values, version: number): readonly unknown[] {
  if (name === '@version') return [version];
  const whole = name.startsWith('/');
  let at: unknown = whole ? top : values;
  for (const step of (whole ? name.slice(1) : name).split('.')) at = memberOf(at, step) ?? null;
  if (isRecord(at) && at.__rl) at = at.value ?? null;
  return Array.isArray(at) ? at : [at];
}

function memberOf(value: unknown, step: string): unknown {
  if (Array.isArray(value)) return /^\d+$/.test(step) ? value[Number(step)] : undefined;
  return isRecord(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

/** One of the wanted values must be there; a condition must hold for all that is there. */
function suits(found: readonly unknown[], wanted: readonly unknown[]): boolean {
  return wanted.some((asked) => holds(found, asked));
}

function holds(found: readonly unknown[], asked: unknown): boolean {
  const condition = isRecord(asked) && Object.keys(asked).length === 1 ? asked._cnd : undefined;
  const [first] = isRecord(condition) ? Object.entries(condition) : [];
  if (!first) return !(typeof asked === 'object' && asked !== null) && found.includes(asked);
  const [name, bound] = first;
  if (!found.length) return name === 'not';
  return found.every((one) => CONDITIONS[name]?.(one, bound) ?? false);
}

type Condition = (value: unknown, bound: unknown) => boolean;

/** Numbers, or texts by their characters; nothing else has an order here. */
function ordered(compare: (order: number) => boolean): Condition {
  return (value, bound) => {
    if (typeof value === 'number' && typeof bound === 'number') return compare(value - bound);
    if (typeof value !== 'string' || typeof bound !== 'string') return false;
    return compare(value === bound ? 0 : value > bound ? 1 : -1);
  };
}

function texts(test: (value: string, bound: string) => boolean): Condition {
  return (value, bound) => typeof value === 'string' && typeof bound === 'string' && test(value, bound);
}

/** A pattern that is none holds for nothing: the page goes on. */
function matches(value: string, bound: string): boolean {
  try {
    return new RegExp(bound).test(value);
  } catch {
    return false;
  }
}

const atLeast = ordered((order) => order >= 0);
const atMost = ordered((order) => order <= 0);

const CONDITIONS: Readonly<Record<string, Condition>> = {
  eq: (value, bound) => value === bound,
  not: (value, bound) => value !== bound,
  gte: atLeast,
  lte: atMost,
  gt: ordered((order) => order > 0),
  lt: ordered((order) => order < 0),
  between: (value, bound) => isRecord(bound) && atLeast(value, bound.from) && atMost(value, bound.to),
  startsWith: texts((value, bound) => value.startsWith(bound)),
  endsWith: texts((value, bound) => value.endsWith(bound)),
  includes: texts((value, bound) => value.includes(bound)),
  regex: texts(matches),
  exists: (value) => value !== null && value !== undefined && value !== '',
};
