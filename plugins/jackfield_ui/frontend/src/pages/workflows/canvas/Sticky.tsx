import { type NodeProps, NodeResizer } from '@xyflow/react';
import { memo, useState } from 'react';
import { parametersOf } from '../model/document';
import { useActions } from './actions';
import classes from './canvas.module.css';
import type { FlowNode } from './flow';

/** A note on the canvas. Its Markdown is shown as it is written: text, never markup. */
export const Sticky = memo(function Sticky({ data: { node }, selected }: NodeProps<FlowNode>) {
  const { editable, resized, write } = useActions();
  const [writing, setWriting] = useState(false);
  const { content, color } = parametersOf(node);
  const text = typeof content === 'string' ? content : '';
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a double click is one way; Enter on the focused note is the other
    <div
      className={classes.sticky}
      data-selected={selected || undefined}
      data-colour={Number(color) >= 1 && Number(color) <= 7 ? Number(color) : 1}
      onDoubleClick={() => setWriting(editable)}
    >
      {editable && (
        <NodeResizer
          isVisible={selected}
          minWidth={80}
          minHeight={48}
          lineClassName={classes.resizeLine ?? ''}
          handleClassName={classes.resizeHandle ?? ''}
          onResizeEnd={(_, box) => resized(node.name, box)}
        />
      )}
      {writing ? (
        <textarea
          className={`${classes.stickyText} nodrag nopan nowheel`}
          aria-label="Text of the note"
          defaultValue={text}
          // biome-ignore lint/a11y/noAutofocus: the note was opened to write in it
          autoFocus
          onKeyDown={(event) => {
            event.stopPropagation();
            if (event.key === 'Escape') event.currentTarget.blur();
          }}
          onBlur={(event) => {
            setWriting(false);
            if (event.currentTarget.value !== text) write(node.name, event.currentTarget.value);
          }}
        />
      ) : (
        <div className={classes.stickyText}>{text || (editable ? 'Double click to write a note.' : '')}</div>
      )}
    </div>
  );
});
