// @vitest-environment happy-dom
import type { CompletionResult } from '@codemirror/autocomplete';
import { describe, expect, it } from 'vitest';
import written from '../../../../../../../jackfield_javascript/vocabulary.json';
import { namesIn } from './secrets';
import { suggested } from './suggest';
import { type Surroundings, valueBefore } from './types';
import type { Vocabulary } from './vocabulary';

/** What the daemon answers with. */
const vocabulary: Vocabulary = written;
const json = {
  name: 'Ada',
  n: 3,
  yes: true,
  none: null,
  'two words': 1,
  tags: ['a', 'b'],
  people: [{ first: 'Ada', born: { year: 1815 } }],
  body: { address: { city: 'London' } },
};
const around: Surroundings = {
  vocabulary,
  current: { json },
  input: [{ json }, { json: { last: 1 } }],
  nodes: [
    {
      name: 'Web hook',
      items: [{ json: { headers: { host: 'x' } } }, { json: { final: 1 } }],
      parameters: { path: 'p' },
    },
    { name: "It's", items: [], parameters: {} },
  ],
  variables: ['KILN'],
  secrets: namesIn(
    ['vault', 'away'],
    ['$secrets.vault.app.password', '$secrets.vault.app["api-key"]', '$secrets.vault.token'],
  ),
  parameters: { url: 'x' },
};

const asked = (code: string): CompletionResult | null => suggested(code, code.length, around, true);
const labels = (code: string) => asked(code)?.options.map(({ label }) => label) ?? [];

describe('the type of what stands before a point', () => {
  it.each([
    ['$json.name', 'string'],
    ['$json.n', 'number'],
    ['$json.yes', 'boolean'],
    ['$json.tags', 'array'],
    ['$json.tags[0]', 'string'],
    ['$json["two words"]', 'number'],
    ['$json?.body?.address', 'object'],
    ['$json.none', undefined],
    ['$json.missing', undefined],
    ['$json.name.trim()', 'string'],
    ['$json.name.trim', undefined],
    ["$json.name.split(',')", 'array'],
    ["$json.name.split(',')[0]", 'string'],
    ["$json.name.split(',').first()", 'string'],
    ['$json.tags.filter(x => x)', 'array'],
    ['$json.people.first().born.year', 'number'],
    ['$json.people.map(p => p', 'object'],
    ['$json.people.map((p, i) => p.born', 'object'],
    ['$json.name.length', 'number'],
    ['$json.n.toDateTime()', 'dateTime'],
    ['$now', 'dateTime'],
    ['$today.plus({ days: 1 })', 'dateTime'],
    ['DateTime', 'DateTime'],
    ["DateTime.fromISO('2026-01-02')", 'dateTime'],
    ["DateTime.fromISO('2026-01-02').diff($now, 'days')", 'duration'],
    ["DateTime.fromISO('2026-01-02').diff($now, 'days').days", 'number'],
    ["'text'", 'string'],
    ['`text $' + '{1}`', 'string'],
    ['(5)', 'number'],
    ['[1, 2]', 'array'],
    ['[1, 2][0]', 'number'],
    ['({ a: 1 })', 'object'],
    ['/a/', 'regExp'],
    ['new Date()', 'date'],
    ["('a' + 1)", 'string'],
    ['(1 + 2)', 'number'],
    ['(1 < 2)', 'boolean'],
    ["($json.name || 'x')", 'string'],
    ["($json.missing ?? 'x')", 'string'],
    ["(true ? 'a' : 'b')", 'string'],
    ['Math', 'Math'],
    ['Math.round(2)', 'number'],
    ["$('Web hook')", 'node'],
    ["$('Web hook').item", 'item'],
    ["$('Web hook').item.json.headers", 'object'],
    ["$('Web hook').last().json.final", 'number'],
    ["$('Web hook').all()", 'array'],
    ["$('Web hook').all()[0]", 'item'],
    ["$('Web hook').all()[0].json.headers.host", 'string'],
    ["$('Web hook').all().map(item => item.json.headers", 'object'],
    ["$('Web hook').isExecuted", 'boolean'],
    ["$('It\\'s')", 'node'],
    ['$input', 'input'],
    ['$input.last().json.last', 'number'],
    ['$execution', 'execution'],
    ['$execution.customData', 'customData'],
    ['$workflow.name', 'string'],
    ['$vars', 'vars'],
    ['$vars.KILN', 'string'],
    ['$secrets', 'secrets'],
    ['$secrets.vault.app', 'secrets'],
    ['$secrets.vault.gone', undefined],
    ['foo($json.name', 'string'],
    ['1 + $json.name', 'string'],
    ['$json.yes ? $json.name', 'string'],
  ])('%s is %s', (code, type) => {
    expect(valueBefore(`${code}.`, around)?.type).toBe(type);
  });
});

describe('completion', () => {
  it('has fields first, then what their type offers', () => {
    expect(labels('$json.').slice(0, 3)).toEqual(['name', 'n', 'yes']);
    expect(labels('$json.body.')).toEqual(['address', ...(vocabulary.object ?? []).map(({ name }) => name)]);
    expect(labels('$json.name.tr')).toContain('trim');
    expect(labels('$json.tags.')).toContain('first');
    expect(labels('$json.tags.')).not.toContain('trim');
  });

  it('knows what nodes, the execution and Luxon have', () => {
    expect(labels("$('Web hook').")).toEqual((vocabulary.node ?? []).map(({ name }) => name));
    expect(labels("$('Web hook').item.json.")).toContain('headers');
    expect(labels("$('Web hook').params.")).toEqual(['path']);
    expect(labels('$parameter.')).toEqual(['url']);
    expect(labels('$execution.')).toEqual((vocabulary.execution ?? []).map(({ name }) => name));
    expect(labels('$now.')).toContain('toFormat');
    expect(labels('DateTime.')).toContain('fromISO');
    expect(labels('$vars.')).toEqual(['KILN']);
  });

  it('has names of secrets, and nothing that would look like their values', () => {
    expect(labels('$secrets.')).toEqual(['vault', 'away']);
    expect(labels('$secrets.vault.')).toEqual(['app', 'token']);
    expect(labels('$secrets.vault.app.')).toEqual(['password', 'api-key']);
    expect(labels('$secrets["vault"]["app"]["')).toEqual(['password', 'api-key']);
    expect(asked('$secrets.away.')).toBeNull();
    expect(asked('$secrets.vault.')?.options.map(({ detail, info }) => [detail, info])).toEqual([
      ['object', undefined],
      ['text', undefined],
    ]);
  });

  it('takes a name of a secret for nothing else', () => {
    const names = namesIn([], ['$secrets.vault["__proto__"].a', '$secrets.vault["a\\"b"]']);
    expect(Object.keys(names.vault ?? {})).toEqual(['__proto__', 'a"b']);
  });

  it('has names of nodes, roots, and fields in brackets', () => {
    expect(labels("$('We")).toEqual(['Web hook', "It's"]);
    expect(labels('$no')).toContain('$now');
    expect(labels('')).toContain('$("Web hook")');
    expect(labels('$json[')).toContain('two words');
    expect(labels('$json["tw')).toContain('two words');
    expect(labels('[...$js')).toContain('$json');
  });

  it('proposes nothing behind what it does not know, behind a number, or unasked', () => {
    expect(asked('$json.missing.')).toBeNull();
    expect(asked('5.')).toBeNull();
    expect(suggested(' ', 1, around, false)).toBeNull();
  });

  it('says by signature, sentence and example what each is', () => {
    const trim = asked('$json.name.')?.options.find(({ label }) => label === 'trim');
    const info = typeof trim?.info === 'function' ? trim.info(trim) : undefined;
    const text = info instanceof HTMLElement ? info.textContent : '';
    expect(text).toBe('trim()Takes away white space at both ends.\'  hi \'.trim()"hi"');
  });

  it('begins to replace behind the point', () => {
    expect(asked('$json.name.tr')?.from).toBe('$json.name.'.length);
  });
});
