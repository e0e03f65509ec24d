import { expect, it } from 'vitest';
import { blocksOf, type Inline, inlineOf, safeHref } from './blocks';

const plain = (parts: readonly Inline[]): string =>
  parts.map((part) => ('text' in part ? part.text : plain(part.parts))).join('');

it('knows the blocks that notes are made of', () => {
  const found = blocksOf('# A *b*\ntext\nmore\n\n- one\n  1. two\n---\n> said\n```js\n**x**\n```\n## ');
  expect(found.map(({ kind }) => kind)).toEqual([
    'heading',
    'paragraph',
    'item',
    'item',
    'rule',
    'quote',
    'code',
    'heading',
  ]);
  expect(found[1]).toEqual({ kind: 'paragraph', parts: [{ kind: 'text', text: 'text\nmore' }] });
  expect(found[3]).toMatchObject({ mark: '1.', depth: 1 });
  expect(found[6]).toEqual({ kind: 'code', text: '**x**' });
});

it('marks parts of a line', () => {
  expect(inlineOf('a **b _c_** `d*e*` ~~f~~ snake_case_name 2 * 3 * 4')).toEqual([
    { kind: 'text', text: 'a ' },
    {
      kind: 'bold',
      parts: [
        { kind: 'text', text: 'b ' },
        { kind: 'italic', parts: [{ kind: 'text', text: 'c' }] },
      ],
    },
    { kind: 'text', text: ' ' },
    { kind: 'code', text: 'd*e*' },
    { kind: 'text', text: ' ' },
    { kind: 'struck', parts: [{ kind: 'text', text: 'f' }] },
    { kind: 'text', text: ' snake_case_name 2 * 3 * 4' },
  ]);
});

it('links to the web and to mail alone', () => {
  expect(inlineOf('[x](http://example.com/a_(b)) and http://example.com/c.')).toEqual([
    { kind: 'link', href: 'http://example.com/a_(b)', parts: [{ kind: 'text', text: 'x' }] },
    { kind: 'text', text: ' and ' },
    { kind: 'link', href: 'http://example.com/c', parts: [{ kind: 'text', text: 'http://example.com/c' }] },
    { kind: 'text', text: '.' },
  ]);
  for (const address of [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,x',
    '//example.com',
    'java\tscript:x',
  ]) {
    expect(safeHref(address)).toBeUndefined();
    expect(inlineOf(`[x](${address})`).every(({ kind }) => kind === 'text')).toBe(true);
  }
  expect(safeHref('mailto:ada@example.com')).toBe('mailto:ada@example.com');
});

it('keeps what it does not understand', () => {
  for (const text of ['<img src=x onerror=1>', '**open', '[a](b', '`', '***', '_ _ _x']) {
    const shown = blocksOf(text).map((block) => ('parts' in block ? plain(block.parts) : ''));
    expect(shown.join('')).toBe(text === '***' ? '' : text);
  }
});

it('is quick with hostile texts', () => {
  const began = performance.now();
  for (const piece of ['*', '_', '[', '`', '[](', '**a', '> ', '- ', '(', '~~'])
    blocksOf(piece.repeat(20_000 / piece.length));
  expect(performance.now() - began).toBeLessThan(2_000);
});
