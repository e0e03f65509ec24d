import { describe, expect, it } from 'vitest';
import { accessor, brief, filesOf, hitsIn, schemaOf } from './values';

describe('schemaOf', () => {
  it('names fields as expressions do, with all their types', () => {
    expect(accessor(['a', 0, 'two words', 'quo"te'])).toBe('.a[0]["two words"]["quo\\"te"]');
    const items = [{ json: { a: null, x: 1 } }, { json: { a: { b: [1] }, x: 'y' } }];
    const [a, x] = schemaOf(items);
    expect([a?.types, a?.fields[0]?.types, a?.fields[0]?.fields[0]?.path]).toEqual([
      ['object'],
      ['list'],
      ['a', 'b', 0],
    ]);
    expect(x?.types).toEqual(['number', 'string']);
  });
});

describe('hitsIn', () => {
  const item = {
    json: { name: 'Ada', list: [{ ada: 'no' }, 'ADAADA'], n: 1815 },
    binary: { f: { fileName: 'ada.png' } },
  };
  it('counts keys, values and names of files, in any case', () => {
    expect(hitsIn(item, 'Ada')).toBe(5);
    expect(hitsIn(item, '181')).toBe(1);
    expect(hitsIn(item, 'zoe')).toBe(0);
    expect(hitsIn(item, '')).toBe(0);
  });

  it('goes down no deeper than the browser can', () => {
    const deep = JSON.parse(`${'['.repeat(50_000)}"x"${']'.repeat(50_000)}`);
    expect(hitsIn({ json: { top: 'x', deep } }, 'x')).toBe(1);
  });
});

it('shows the part of a long text that has what is looked for', () => {
  const long = `${'a'.repeat(300)}needle${'b'.repeat(300)}`;
  expect(brief(long, 40)).toBe(`${'a'.repeat(40)}…`);
  expect(brief(long, 40, 'NEEDLE')).toContain('needle');
  expect(brief(long, 40, 'NEEDLE').length).toBe(42);
});

it('tells the size of a file that is inside its item', () => {
  expect(filesOf({ json: {}, binary: { page: { data: 'PGI+', mimeType: 'text/html' }, odd: 3 } })).toEqual([
    { key: 'page', name: 'page', type: 'text/html', size: 3, data: 'PGI+' },
  ]);
});
