import { type NodeProps, NodeResizer } from '@xyflow/react';
import { memo, use } from 'react';
import { Markdown } from '../../../components/markdown/Markdown';
import { t } from '../../../language/messages';
import { parametersOf } from '../model/document';
import { useActions, WritingContext } from './actions';
import classes from './canvas.module.css';
import type { FlowNode } from './flow';
import marks from './mark.module.css';
import { NodeMark } from './NodeMark';
import note from './note.module.css';

/** A note on the canvas. */
export const Sticky = memo(function Sticky({ data: { node, mark }, selected }: NodeProps<FlowNode>) {
  const { editable: isEditable, resized, write, setWriting } = useActions();
  const editable = isEditable && mark !== 'added';
  const writing = use(WritingContext) === node.name && editable;
  const { content, color } = parametersOf(node);
  const text = typeof content === 'string' ? content : '';
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a double click is one way; Enter on the focused note is the other
    <div
      className={`${classes.sticky} ${note.hued} ${mark ? marks.marked : ''}`}
      data-mark={mark}
      data-selected={selected || undefined}
      data-colour={Number(color) >= 1 && Number(color) <= 7 ? Number(color) : 1}
      onDoubleClick={() => setWriting(editable ? node.name : undefined)}
    >
      {mark && <NodeMark name={node.name} mark={mark} />}
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
          aria-label={t('Text of the note')}
          defaultValue={text}
          // biome-ignore lint/a11y/noAutofocus: the note was opened to write in it
          autoFocus
          onKeyDown={(event) => {
            event.stopPropagation();
            if (event.key === 'Escape') event.currentTarget.blur();
          }}
          onBlur={(event) => {
            setWriting(undefined);
            if (event.currentTarget.value !== text) write(node.name, event.currentTarget.value);
          }}
        />
      ) : (
        <div className={classes.stickyText}>
          {text ? <Markdown text={text} /> : editable && t('Double-click to write a note.')}
        </div>
      )}
    </div>
  );
});
