/** What a tree of Markdown may be, so that no text stops the page. */

import type { Options } from 'react-markdown';
import { t } from '../../language/messages';

type Plugin = NonNullable<Options['remarkPlugins']>[number];

/** A quote in a quote in a quote: what is deeper than any person writes. */
const DEEPEST = 32;

/** Characters, and among them signs of Markdown: reading takes longer than in proportion, and no page may stand still. */
const LONGEST = 20_000;
const MOST_SIGNS = 1_500;
/** Lists and quotes in each other from one line. */
const NESTED = /^(?:[ \t]*(?:>|[-+*][ \t]|\d{1,9}[.)][ \t])){9}/m;

/** Whether a text would take too long to be read. Such a text is shown as it is. */
export function isHeavy(text: string): boolean {
  if (text.length > LONGEST || NESTED.test(text)) return true;
  return (text.match(/[*_`~[\]<&|!]/g)?.length ?? 0) > MOST_SIGNS;
}

interface Branch {
  type: string;
  children?: Branch[];
}

/** Throws for a tree that is too deep to be drawn. */
export const shallow: Plugin = () => (tree: Branch) => {
  const open: [Branch, number][] = [[tree, 0]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [branch, depth] = next;
    if (depth > DEEPEST) throw new RangeError(t('The text is nested too deeply.'));
    for (const child of branch.children ?? []) open.push([child, depth + 1]);
  }
};
