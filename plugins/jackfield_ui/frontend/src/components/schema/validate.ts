import { isRecord } from '../../api/errors';
import { kindOf, nullable, type Path, pathText, resolved, type Schema, variantOf } from './schema';

/** What is wrong, by path. The server has the last word; this only spares the user a round trip. */
export function validate(schema: Schema, value: unknown, skip: (value: unknown) => boolean = () => false) {
  const problems: Record<string, string> = {};
  check(schema, value, []);
  return problems;

  function check(part: Schema, given: unknown, path: Path): void {
    // An expression is judged when it runs.
    if (skip(given) || ((given === null || given === undefined) && nullable(part))) return;
    const whole = resolved(part, schema);
    const problem = simple(whole, given);
    if (problem) problems[pathText(path)] = problem;
    else inside(whole, given, path);
  }

  function inside(whole: Schema, given: unknown, path: Path): void {
    const kind = kindOf(whole, schema);
    if (kind === 'variants') {
      const variants = whole.oneOf ?? whole.anyOf ?? [];
      const chosen = variants[variantOf(variants, given, schema)];
      if (chosen) check(chosen, given, path);
    } else if (isRecord(given)) {
      for (const name of whole.required ?? []) {
        if (given[name] === undefined || given[name] === '') problems[pathText([...path, name])] = 'This is needed.';
      }
      for (const [name, property] of Object.entries(whole.properties ?? {})) {
        if (given[name] !== undefined && given[name] !== '') check(property, given[name], [...path, name]);
      }
    } else if (Array.isArray(given) && whole.items) {
      const items = whole.items;
      given.forEach((item, index) => {
        check(items, item, [...path, index]);
      });
    }
  }
}

/** What is wrong with a value itself, not with what it contains. */
function simple(schema: Schema, value: unknown): string | undefined {
  if (typeof value === 'string') return ofText(schema, value);
  if (typeof value === 'number') return ofNumber(schema, value);
  if (Array.isArray(value)) {
    if (value.length < (schema.minItems ?? 0)) return `At least ${schema.minItems} are needed.`;
    if (value.length > (schema.maxItems ?? Infinity)) return `At most ${schema.maxItems} are allowed.`;
  }
  return undefined;
}

function ofText(schema: Schema, value: string): string | undefined {
  if (schema.type === 'integer' || schema.type === 'number') return 'A number is needed.';
  if (value.length < (schema.minLength ?? 0)) return `At least ${schema.minLength} characters are needed.`;
  if (value.length > (schema.maxLength ?? Infinity)) return `At most ${schema.maxLength} characters are allowed.`;
  if (schema.enum && !schema.enum.includes(value)) return `One of: ${schema.enum.join(', ')}.`;
  if (schema.pattern && !matches(schema.pattern, value)) return `It must match ${schema.pattern}.`;
  return undefined;
}

/** A pattern of another dialect of regular expressions is left to the server. */
function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    return true;
  }
}

function ofNumber(schema: Schema, value: number): string | undefined {
  if (schema.type === 'integer' && !Number.isInteger(value)) return 'A whole number is needed.';
  if (value < (schema.minimum ?? -Infinity)) return `At least ${schema.minimum}.`;
  if (value > (schema.maximum ?? Infinity)) return `At most ${schema.maximum}.`;
  if (value <= (schema.exclusiveMinimum ?? -Infinity)) return `More than ${schema.exclusiveMinimum}.`;
  if (value >= (schema.exclusiveMaximum ?? Infinity)) return `Less than ${schema.exclusiveMaximum}.`;
  return undefined;
}
