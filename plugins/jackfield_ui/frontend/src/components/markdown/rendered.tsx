import { type ReactNode, useMemo } from 'react';
import render, { type Components, type Options } from 'react-markdown';
import gfm from 'remark-gfm';
import classes from './markdown.module.css';
import { safeHref } from './safeHref';
import { isHeavy, shallow } from './tree';

function Link({ href, children }: { href?: string | undefined; children?: ReactNode }) {
  if (!href) return children;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" className="nodrag nopan">
      {children}
    </a>
  );
}

/** A text within a page is no part of its outline. */
function headed(level: number) {
  return ({ children }: { children?: ReactNode }) => (
    <p className={classes.heading} data-level={level}>
      {children}
    </p>
  );
}

const COMPONENTS: Components = {
  a: ({ href, children }) => <Link href={href}>{children}</Link>,
  // A picture of somebody else's machine would tell it who reads.
  img: ({ src, alt }) => <Link href={typeof src === 'string' ? src : undefined}>{alt || src}</Link>,
  h1: headed(1),
  h2: headed(2),
  h3: headed(3),
  h4: headed(4),
  h5: headed(5),
  h6: headed(6),
  input: ({ checked }) => <span aria-hidden="true">{checked ? '☑' : '☐'}</span>,
};

const OPTIONS: Options = {
  remarkPlugins: [[gfm, { singleTilde: false }], shallow],
  urlTransform: (address) => safeHref(address) ?? '',
  components: COMPONENTS,
};

const LINE: Options = {
  ...OPTIONS,
  allowedElements: ['a', 'code', 'del', 'em', 'strong', 'img'],
  unwrapDisallowed: true,
};

/** What cannot be read as Markdown stays the text that it is. */
function useRendered(text: string, options: Options): ReactNode {
  return useMemo(() => {
    if (isHeavy(text)) return text;
    try {
      // Called, not placed: it has no state, and so its errors are met here.
      return render({ ...options, children: text });
    } catch {
      return text;
    }
  }, [text, options]);
}

/** Paragraphs, lists, tables, code. HTML is text. */
export function Blocks({ text }: { text: string }) {
  return <div className={classes.text}>{useRendered(text, OPTIONS)}</div>;
}

/** Emphasis, code and links within a line. */
export function Line({ text }: { text: string }) {
  return useRendered(text, LINE);
}
