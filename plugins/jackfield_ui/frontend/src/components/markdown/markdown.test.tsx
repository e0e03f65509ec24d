// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { Markdown, MarkdownLine } from './Markdown';
import { Blocks, Line } from './rendered';
import { safeHref } from './safeHref';

afterEach(cleanup);
const shown = (text: string) => render(<Blocks text={text} />).container;

it('draws the blocks that notes are made of, and no heading of the page', () => {
  const found = shown(
    '# A *b*\ntext\nmore\n\n- one\n  1. two\n\n---\n> said\n\n```js\n**x**\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |',
  );
  for (const name of ['em', 'li li', 'hr', 'blockquote', 'pre', 'td']) expect(found.querySelector(name)).not.toBeNull();
  expect(found.querySelector('pre')?.textContent).toContain('**x**');
  expect(found.querySelector('h1')).toBeNull();
});

it('marks parts of a line', () => {
  const found = shown('a **b _c_** `d*e*` ~~f~~ snake_case_name 2 * 3 * 4');
  expect(found.querySelector('strong em')?.textContent).toBe('c');
  expect(found.querySelector('code')?.textContent).toBe('d*e*');
  expect(found.querySelector('del')?.textContent).toBe('f');
  expect(found.textContent).toContain('snake_case_name 2 * 3 * 4');
});

it('links to the web and to mail alone, and loads no picture', () => {
  const found = shown('[x](http://example.com/a_(b)) ![y](http://example.com/c.png) http://example.com/d.');
  expect([...found.querySelectorAll('a')].map(({ href, rel }) => [href, rel])).toEqual([
    ['http://example.com/a_(b)', 'noopener noreferrer'],
    ['http://example.com/c.png', 'noopener noreferrer'],
    ['http://example.com/d', 'noopener noreferrer'],
  ]);
  expect(found.querySelector('img')).toBeNull();
  for (const address of ['javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'data:text/html,x', '//example.com']) {
    expect(safeHref(address)).toBeUndefined();
    expect(shown(`[x](${address}) ![z](${address})`).querySelector('a, img')).toBeNull();
  }
  expect(safeHref('mailto:ada@example.com')).toBe('mailto:ada@example.com');
});

it('shows HTML as text', () => {
  const found = shown('<img src=x onerror=1> and <b>bold</b>\n\n<script>alert(1)</script>');
  expect(found.querySelector('img, b, script')).toBeNull();
  expect(found.textContent).toContain('<img src=x onerror=1>');
  expect(found.textContent).toContain('<script>alert(1)</script>');
});

it('is quick with hostile texts, and shows them', () => {
  const began = performance.now();
  for (const piece of [
    '*',
    '[',
    '[](',
    '**a',
    '> ',
    '1) ',
    '- ',
    '(',
    '~~',
    '| ',
    '<',
    '&',
    'www.',
    '\n>',
    '|a\n|-\n',
  ]) {
    for (const length of [4_000, 20_000]) {
      expect(shown(`kiln\n\n${piece.repeat(length / piece.length)}`).textContent).toContain('kiln');
      cleanup();
    }
  }
  expect(performance.now() - began).toBeLessThan(10_000);
});

it('keeps a line a line', () => {
  const { container } = render(
    <p>
      <Line text={'# Use `now` or [that](http://example.com)\n\n- **one**'} />
    </p>,
  );
  expect(container.querySelectorAll('p, h1, ul, li')).toHaveLength(1);
  expect(container.querySelector('code')?.textContent).toBe('now');
});

it('shows the text until it can be read as Markdown', async () => {
  render(<Markdown text="**kiln** of 1993" />);
  expect(screen.getByText('**kiln** of 1993')).toBeDefined();
  expect((await screen.findByText('kiln')).tagName).toBe('STRONG');
  const { container } = render(<MarkdownLine text="Plain words, (and more)." />);
  expect(container.childElementCount).toBe(0);
  expect(container.textContent).toBe('Plain words, (and more).');
});
