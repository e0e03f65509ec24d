import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import Markdown, { type Components } from 'react-markdown';
import { Link } from 'react-router';
import gfm from 'remark-gfm';
import { t } from '../../language/messages';
import { readable, slug, target } from './docs';
import classes from './help.module.css';

function textOf(children: ReactNode): string {
  if (Array.isArray(children)) return children.map(textOf).join('');
  if (typeof children === 'string' || typeof children === 'number') return String(children);
  const inner = (children as { props?: { children?: ReactNode } } | null)?.props?.children;
  return inner === undefined ? '' : textOf(inner);
}

function headed(Level: 'h2' | 'h3' | 'h4') {
  return ({ children }: { children?: ReactNode }) => <Level id={slug(textOf(children))}>{children}</Level>;
}

const COMPONENTS: Components = {
  // The page's own title stands above.
  h1: () => null,
  h2: headed('h2'),
  h3: headed('h3'),
  h4: headed('h4'),
  img: () => null,
  a: ({ href = '', children }) => {
    const to = target(href);
    if (!to) return children;
    if (to.startsWith('http')) {
      return (
        <Anchor href={to} target="_blank" rel="noopener noreferrer" inherit>
          {children}
        </Anchor>
      );
    }
    return (
      <Anchor component={Link} to={to} inherit>
        {children}
      </Anchor>
    );
  },
  // What is wider than the screen is scrolled by keys, too.
  pre: ({ children }) => (
    <pre tabIndex={0} role="group" aria-label={t('Code')}>
      {children}
    </pre>
  ),
  table: ({ children }) => (
    <section className={classes.wide} aria-label={t('Table')} tabIndex={0}>
      <table>{children}</table>
    </section>
  ),
};

/** A page of the documentation, which is English in each language of the interface. */
export function Text({ source }: { source: string }) {
  return (
    <div className={classes.text} lang="en">
      <Markdown remarkPlugins={[gfm]} components={COMPONENTS}>
        {readable(source)}
      </Markdown>
    </div>
  );
}
