import { describe, expect, it } from 'vitest';
import { initial, kindOf, labelOf, nullable, pathText, resolved, type Schema, variantOf } from './schema';
import { validate } from './validate';

const root: Schema = {
  type: 'object',
  required: ['url'],
  properties: {
    url: { type: 'string', minLength: 1 },
    retries: { type: 'integer', minimum: 0, maximum: 5 },
    batch: { anyOf: [{ $ref: '#/$defs/Batch' }, { type: 'null' }], default: null },
    body: {
      oneOf: [
        { type: 'object', properties: { kind: { const: 'raw' }, text: { type: 'string' } } },
        {
          type: 'object',
          required: ['rows'],
          properties: { kind: { const: 'form' }, rows: { type: 'array', items: { $ref: '#/$defs/Row' } } },
        },
      ],
    },
  },
  $defs: {
    Batch: { type: 'object', title: 'Batch', properties: { size: { type: 'integer', minimum: 1 } } },
    Row: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
  },
};
const property = (name: string): Schema => root.properties?.[name] ?? {};

describe('a schema', () => {
  it('is resolved through "or null" and references', () => {
    expect(resolved(property('batch'), root)).toMatchObject({ type: 'object', default: null });
    expect(nullable(property('batch'))).toBe(true);
    expect(resolved({ $ref: '#/$defs/Loop' }, { $defs: { Loop: { $ref: '#/$defs/Loop' } } })).toEqual({});
  });

  it.each([
    [{ enum: ['a', 'b'] }, 'choice'],
    [{ oneOf: [{ const: 1 }, { const: 2 }] }, 'choice'],
    [{ type: 'string', writeOnly: true }, 'secret'],
    [{ type: 'array', items: { type: 'string' } }, 'strings'],
    [{ type: 'array', items: { type: 'number' } }, 'list'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, 'map'],
    [{ type: 'object', additionalProperties: true }, 'json'],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, 'variants'],
    [{}, 'json'],
  ] as [Schema, string][])('%j is %s', (schema, kind) => {
    expect(kindOf(schema, root)).toBe(kind);
  });

  it('tells which variant a value is', () => {
    const variants = property('body').oneOf ?? [];
    expect(variantOf(variants, { kind: 'form', rows: [] }, root)).toBe(1);
    expect(variantOf(variants, { kind: 'raw' }, root)).toBe(0);
    expect(variantOf([{ type: 'string' }, { type: 'number' }], 3, root)).toBe(1);
  });

  it('gives what a form begins with', () => {
    expect(initial(root, root)).toEqual({});
    expect(initial({ type: 'object', required: ['on'], properties: { on: { type: 'boolean' } } }, root)).toEqual({
      on: false,
    });
  });

  it.each([
    ['batchSize', { title: 'Batchsize' }, 'Batch size'],
    ['batch_size', { title: 'Batch Size' }, 'Batch size'],
    ['url', {}, 'URL'],
    ['x', { title: 'Cross product' }, 'Cross product'],
  ] as [string, Schema, string][])('%s with %j is labelled %s', (name, schema, label) => {
    expect(labelOf(name, schema)).toBe(label);
  });
});

describe('validation', () => {
  it('names each problem by its path', () => {
    const value = { retries: 9, batch: { size: 0 }, body: { kind: 'form', rows: [{ name: 'a' }, {}] } };
    expect(Object.keys(validate(root, value)).sort()).toEqual(['batch.size', 'body.rows[1].name', 'retries', 'url']);
    expect(pathText(['nodes', 2, 'name'])).toBe('nodes[2].name');
  });

  it('leaves null where it is allowed, and what the caller skips', () => {
    const expression = (value: unknown) => typeof value === 'string' && value.startsWith('=');
    expect(validate(root, { url: 'x', batch: null, retries: '={{ 1 }}' }, expression)).toEqual({});
    expect(validate(root, { url: 'x', retries: 'many' })).toEqual({ retries: 'A number is needed.' });
  });
});
