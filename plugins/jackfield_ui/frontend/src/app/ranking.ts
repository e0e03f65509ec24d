/** The order of what a command palette finds: the same name, its beginning, a word's beginning, and then loose matches. */
import { fuzzy } from './fuzzy';

export interface Ranked {
  id: string;
  label: string;
  /** What is searched: the label, and words beside it. */
  words: string;
}

const SAME = 1_000_000;
const BEGINS = 100_000;
const WHOLE = 10_000;
/** More than any loose match has, less than what a whole word gives. */
const RECENT = 5_000;

export function scoreOf(query: string, { id, label, words }: Ranked, recent: readonly string[]): number {
  const loose = fuzzy(query, words);
  if (loose === 0) return 0;
  const asked = query.trim().toLowerCase();
  const name = label.toLowerCase();
  const exact = name === asked ? SAME : name.startsWith(asked) ? BEGINS : name.includes(asked) ? WHOLE : 0;
  const place = recent.indexOf(id);
  return loose + exact + (place < 0 ? 0 : RECENT - place);
}

export function ranked<Item extends Ranked>(
  query: string,
  items: readonly Item[],
  recent: readonly string[],
  most: number,
): Item[] {
  return items
    .map((item) => ({ item, score: scoreOf(query, item, recent) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, most)
    .map(({ item }) => item);
}
