import { memo, useMemo } from 'react';
import { type Block, blocksOf, type Inline } from './blocks';
import classes from './note.module.css';

/** A note's Markdown as elements. No heading of the page: it is a text on the canvas. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const blocks = useMemo(() => blocksOf(text), [text]);
  return (
    <>
      {blocks.map((block, index) => (
        <Shown key={index} block={block} />
      ))}
    </>
  );
});

function Shown({ block }: { block: Block }) {
  switch (block.kind) {
    case 'rule':
      return <hr />;
    case 'code':
      return <pre>{block.text}</pre>;
    case 'heading':
      return (
        <p className={classes.noteHeading} data-level={block.level}>
          <Parts parts={block.parts} />
        </p>
      );
    case 'item':
      return (
        <p className={classes.noteItem} style={{ marginInlineStart: `${block.depth}rem` }}>
          <span>{block.mark}</span>
          <span>
            <Parts parts={block.parts} />
          </span>
        </p>
      );
    default:
      return (
        <p data-quote={block.kind === 'quote' || undefined}>
          <Parts parts={block.parts} />
        </p>
      );
  }
}

function Parts({ parts }: { parts: readonly Inline[] }) {
  return parts.map((part, index) => <Part key={index} part={part} />);
}

function Part({ part }: { part: Inline }) {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'code':
      return <code>{part.text}</code>;
    case 'bold':
      return (
        <strong>
          <Parts parts={part.parts} />
        </strong>
      );
    case 'italic':
      return (
        <em>
          <Parts parts={part.parts} />
        </em>
      );
    case 'struck':
      return (
        <s>
          <Parts parts={part.parts} />
        </s>
      );
    default:
      return (
        <a href={part.href} target="_blank" rel="noopener noreferrer" className="nodrag nopan">
          <Parts parts={part.parts} />
        </a>
      );
  }
}
