import type { ReactNode } from 'react';

const MOST = 500;

/** A text with what is looked for marked, in any case. */
export function Highlight({ text, wanted }: { text: string; wanted: string }): ReactNode {
  if (!wanted) return text;
  const lower = text.toLowerCase();
  const found = wanted.toLowerCase();
  // Some letters have another length in lower case; their text is shown without marks.
  if (lower.length !== text.length) return text;
  const parts: ReactNode[] = [];
  let from = 0;
  for (let at = lower.indexOf(found); at >= 0 && parts.length < MOST; at = lower.indexOf(found, from)) {
    parts.push(text.slice(from, at), <mark key={at}>{text.slice(at, at + found.length)}</mark>);
    from = at + found.length;
  }
  return parts.length ? [...parts, text.slice(from)] : text;
}
