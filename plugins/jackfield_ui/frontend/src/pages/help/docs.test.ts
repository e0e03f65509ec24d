import { expect, test } from 'vitest';
import { chapters, readable, readPage, slug, target } from './docs';

test('the contents are those of the documentation', () => {
  const source =
    'site: x\nnav:\n  - Overview: index.md\n  - Use:\n      - Node types: nodes/index.md\n      - Data tables: data-tables.md\n      - Gone: gone.md\nplugins:\n';
  expect(chapters(source, (name) => name !== 'gone')).toEqual([
    { title: '', pages: [{ name: 'index', title: 'Overview' }] },
    {
      title: 'Use',
      pages: [
        { name: 'nodes', title: 'Node types' },
        { name: 'data-tables', title: 'Data tables' },
      ],
    },
  ]);
});

test('every page of the real contents is there, and the links of all pages lead to headings that exist', async () => {
  const names = chapters().flatMap(({ pages }) => pages.map(({ name }) => name));
  expect(names).toContain('workflows');
  const texts = new Map<string, string>();
  await Promise.all(names.map(async (name) => texts.set(name, (await readPage(name)) ?? '')));
  const anchors = new Map(
    [...texts].map(([name, text]) => [
      name,
      new Set([...text.matchAll(/^#{1,4} (.+)$/gm)].map(([, title = '']) => slug(title.replaceAll('`', '')))),
    ]),
  );
  const broken: string[] = [];
  for (const [name, text] of texts) {
    for (const [, href = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      const [, page = name, place] = /^(?:\/ui\/help\/([\w-]+))?#(.+)$/.exec(target(href)) ?? [];
      if (place && anchors.has(page) && !anchors.get(page)?.has(place)) broken.push(`${name}: ${href}`);
    }
  }
  expect(broken).toEqual([]);
}, 30_000);

test('links lead to pages here or out, and never to what is not there', () => {
  expect(target('forms.md#waits-for-calls')).toBe('/ui/help/forms#waits-for-calls');
  expect(target('https://example.com/a')).toBe('https://example.com/a');
  expect(target('decisions.md')).toBe('');
  expect(target('../CHANGELOG.md')).toBe('');
  expect(target('javascript:alert(1)')).toBe('');
});

test('what only the web site draws is left out', () => {
  const text =
    '# A\n\n![x](screenshots/a.png)\n\n| | |\n| --- | --- |\n| ![x](screenshots/b.png) | ![y](screenshots/c.png) |\n\nEnd<!-- mark -->\n';
  expect(readable(text)).toBe('# A\n\n\n\nEnd\n');
});
