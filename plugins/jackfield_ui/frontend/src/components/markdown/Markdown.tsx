import { lazy, memo, Suspense } from 'react';
import classes from './markdown.module.css';

const Blocks = lazy(() => import('./rendered').then((module) => ({ default: module.Blocks })));
const Line = lazy(() => import('./rendered').then((module) => ({ default: module.Line })));
/** Without one of these a text says the same as Markdown. */
const MARKED = /[`*_[\]~<>&\\#|]|https?:|^\s*(?:[-+]|\d+[.)])\s|\n\s*(?:[-+=]|\d+[.)])|www\.|@/;

/** A text in Markdown (CommonMark with GitHub's tables and lists). Until it can be read as such, the text itself. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const plain = <div className={`${classes.text} ${classes.plain}`}>{text}</div>;
  if (!MARKED.test(text)) return plain;
  return (
    <Suspense fallback={plain}>
      <Blocks text={text} />
    </Suspense>
  );
});

/** Signs that are meant: a help may well show a cron expression, or a name with underscores. */
const MEANT = /`[^`]+`|\*\*[^*\s][^*]*\*\*|\]\(/;

/** A line of Markdown, within a paragraph: the help of a field. */
export const MarkdownLine = memo(function MarkdownLine({ text }: { text: string }) {
  if (!MEANT.test(text)) return text;
  return (
    <Suspense fallback={text}>
      <Line text={text} />
    </Suspense>
  );
});
