/** What a JSON Schema (2020-12, as pydantic writes it) asks of a form. Pure; the inputs are in Field.tsx. */

export interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  type?: string | string[];
  title?: string;
  description?: string;
  default?: unknown;
  const?: unknown;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minItems?: number;
  maxItems?: number;
  writeOnly?: boolean;
  secret?: boolean;
  [other: string]: unknown;
}

export type FieldKind =
  | 'choice'
  | 'text'
  | 'long'
  | 'secret'
  | 'number'
  | 'boolean'
  | 'strings'
  | 'list'
  | 'object'
  | 'map'
  | 'variants'
  | 'constant'
  | 'json';

export type Path = readonly (string | number)[];

/** As the server names fields: `nodes[2].name`. */
export function pathText(path: Path): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text ? `${text}.${part}` : part),
    '',
  );
}

/** The schema behind references, single `allOf` and "or null"; what stands beside a reference wins. */
export function resolved(schema: Schema, root: Schema, depth = 0): Schema {
  if (depth > 20) return {};
  if (schema.$ref?.startsWith('#/$defs/')) {
    const { $ref, ...beside } = schema;
    return resolved({ ...root.$defs?.[$ref.slice('#/$defs/'.length)], ...beside }, root, depth + 1);
  }
  if (schema.allOf?.length === 1 && schema.allOf[0]) {
    const { allOf, ...beside } = schema;
    return resolved({ ...allOf[0], ...beside }, root, depth + 1);
  }
  const some = schema.anyOf?.filter(({ type }) => type !== 'null');
  if (schema.anyOf && some?.length === 1 && some[0]) {
    const { anyOf: _, ...beside } = schema;
    return resolved({ ...some[0], ...beside }, root, depth + 1);
  }
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== 'null');
    if (types.length === 1 && types[0]) return { ...schema, type: types[0] };
  }
  return schema;
}

export function nullable(schema: Schema): boolean {
  const types = Array.isArray(schema.type) ? schema.type : [];
  return types.includes('null') || (schema.anyOf ?? []).some(({ type }) => type === 'null');
}

/** Which input a resolved schema gets. */
export function kindOf(schema: Schema, root: Schema): FieldKind {
  if (schema.enum) return 'choice';
  if ('const' in schema) return 'constant';
  const variants = schema.oneOf ?? schema.anyOf;
  if (variants) return variants.every((one) => 'const' in one) ? 'choice' : 'variants';
  switch (schema.type) {
    case 'string':
      return stringKind(schema);
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'array':
      return schema.items ? listKind(resolved(schema.items, root)) : 'json';
    case 'object':
      return objectKind(schema, root);
    default:
      return schema.properties ? 'object' : 'json';
  }
}

function stringKind(schema: Schema): FieldKind {
  if (schema.secret || schema.writeOnly || schema.format === 'password') return 'secret';
  return schema.format === 'textarea' || (schema.maxLength ?? 0) > 1_000 ? 'long' : 'text';
}

function listKind(items: Schema): FieldKind {
  return items.type === 'string' && !items.enum
    ? 'strings'
    : items.type || items.properties || items.oneOf
      ? 'list'
      : 'json';
}

function objectKind(schema: Schema, root: Schema): FieldKind {
  if (schema.properties && Object.keys(schema.properties).length) return 'object';
  const extra = schema.additionalProperties;
  return typeof extra === 'object' && resolved(extra, root).type === 'string' ? 'map' : 'json';
}

/** The values to choose from, with their names. */
export function choices(schema: Schema): { value: unknown; label: string }[] {
  if (schema.enum) return schema.enum.map((value) => ({ value, label: String(value) }));
  return (schema.oneOf ?? schema.anyOf ?? []).map((one) => ({
    value: one.const,
    label: one.title ?? String(one.const),
  }));
}

/** What a form begins with: the defaults, and the least that the schema needs. */
export function initial(schema: Schema, root: Schema): unknown {
  const whole = resolved(schema, root);
  if ('default' in whole) return whole.default;
  if ('const' in whole) return whole.const;
  if (nullable(schema)) return null;
  switch (kindOf(whole, root)) {
    case 'object': {
      const required = (whole.required ?? []).flatMap((name) => {
        const property = whole.properties?.[name];
        const value = property && initial(property, root);
        return value === undefined ? [] : [[name, value] as const];
      });
      return Object.fromEntries(required);
    }
    case 'variants': {
      const first = (whole.oneOf ?? whole.anyOf)?.[0];
      return first && initial(first, root);
    }
    case 'strings':
    case 'list':
      return [];
    case 'map':
      return {};
    case 'boolean':
      return false;
    default:
      return undefined;
  }
}

/** Which of the variants a value is: by its constants, else by the keys it has, else by its type. */
export function variantOf(variants: readonly Schema[], value: unknown, root: Schema): number {
  const scores = variants.map((variant) => fitness(resolved(variant, root), value));
  return Math.max(0, scores.indexOf(Math.max(...scores)));
}

function fitness(schema: Schema, value: unknown): number {
  if (!matchesType(schema, value)) return -1;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 1;
  let score = 0;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if ('const' in property) score += (value as Record<string, unknown>)[name] === property.const ? 10 : -10;
    else if (name in value) score += 1;
  }
  return score;
}

function matchesType(schema: Schema, value: unknown): boolean {
  switch (schema.type) {
    case undefined:
      return true;
    case 'null':
      return value === null || value === undefined;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'integer':
    case 'number':
      return typeof value === 'number';
    default:
      return typeof value === schema.type;
  }
}

/** `batchSize` and `batch_size` as "Batch size"; a title that somebody has written is kept. */
export function labelOf(name: string, schema: Schema): string {
  const made = name.replaceAll('_', ' ');
  const automatic = [titled(made), titled(made).replaceAll(' ', '')];
  if (schema.title && !automatic.some((title) => title.toLowerCase() === schema.title?.toLowerCase())) {
    return schema.title;
  }
  const words = made.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2');
  const lower = words.replace(/\b[A-Z][a-z]+/g, (word) => word.toLowerCase());
  return (lower.charAt(0).toUpperCase() + lower.slice(1)).replace(/\b(url|id|json|http|html|api|uri)\b/gi, (word) =>
    word.toUpperCase(),
  );
}

function titled(text: string): string {
  return text.replace(/\b\p{L}/gu, (letter) => letter.toUpperCase());
}
