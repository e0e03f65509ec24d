/** The documentation that this version was built with: a chunk for each page, read when it is opened. */
import contents from '../../../../../../mkdocs.yml?raw';

const FILES = import.meta.glob<string>(
  [
    '../../../../../../docs/*.md',
    // What is about how Jackfield is made, not about how it is used.
    '!../../../../../../docs/{architecture,benchmarks,decisions,dependencies,plugins,replaced-parts}.md',
  ],
  { query: '?raw', import: 'default' },
);
const PAGES = new Map(Object.entries(FILES).map(([path, load]) => [nameOf(path), load]));

/** The page with the list of node types, whose pages the daemon makes. */
export const NODE_TYPES = 'nodes';

export interface Chapter {
  title: string;
  pages: readonly { name: string; title: string }[];
}

function nameOf(path: string): string {
  return path.replace(/^.*\//, '').replace(/\.md$/, '');
}

/** The table of contents, as the documentation's own, of the pages that are here. */
export function chapters(source: string = contents, has = (name: string) => PAGES.has(name)): Chapter[] {
  const found: { title: string; pages: { name: string; title: string }[] }[] = [{ title: '', pages: [] }];
  const nav = source.slice(source.indexOf('\nnav:'));
  for (const line of nav.split('\n').slice(2)) {
    if (/^\S/.test(line)) break;
    const page = /^(\s+)- (.+): (\S+)\.md$/.exec(line);
    const head = /^ {2}- (.+):$/.exec(line);
    if (head?.[1]) found.push({ title: head[1], pages: [] });
    else if (page?.[2] && page[3] === `${NODE_TYPES}/index`) {
      found.at(-1)?.pages.push({ title: page[2], name: NODE_TYPES });
    } else if (page?.[2] && page[3] && has(page[3])) found.at(-1)?.pages.push({ title: page[2], name: page[3] });
  }
  return found.filter(({ pages }) => pages.length > 0);
}

/** The text of a page; undefined: there is none of this name. */
export async function readPage(name: string): Promise<string | undefined> {
  return PAGES.get(name)?.();
}

/** Where a link of a page leads: to another page here, to a place on the page, or out. Empty: nowhere from here. */
export function target(href: string, has = (name: string) => PAGES.has(name)): string {
  if (/^https?:\/\//.test(href) || href.startsWith('#')) return href;
  const [, name = '', place = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  return name && has(name) ? `/ui/help/${name}${place}` : '';
}

/** The id of a heading, as links name it. */
export function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\s-]/gu, '')
    .trim()
    .replaceAll(/[\s-]+/g, '-');
}

/** Without pictures and what only the web site draws. */
export function readable(text: string): string {
  return text
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/<\/?div[^>]*>/g, '')
    .replaceAll(/^\|?.*!\[[^\]]*\]\(screenshots\/.*$\n?/gm, '')
    .replaceAll(/^\| \| \|\n\| --- \| --- \|\n(?!\|)/gm, '');
}
