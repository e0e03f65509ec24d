import { unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { styleNonce } from '../../app/nonce';
import { look } from './look';

/** Milliseconds for the exact difference; after them the rest counts as different. */
const PATIENCE = 500;

/** A text and what it was before: lines that are gone and lines that are new, with what both have folded away. */
export default function Diff({ label, before, after }: { label: string; before: string; after: string }) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!host.current) return;
    const editor = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: after,
        extensions: [
          EditorView.cspNonce.of(styleNonce()),
          lineNumbers(),
          EditorState.readOnly.of(true),
          EditorView.editable.of(false),
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          unifiedMergeView({
            original: before,
            mergeControls: false,
            gutter: true,
            collapseUnchanged: { margin: 3, minSize: 6 },
            diffConfig: { timeout: PATIENCE },
          }),
          look(60, '56dvh'),
          EditorView.theme({
            '.cm-collapsedLines': { background: 'var(--jf-sunken)', color: 'var(--mantine-color-dimmed)' },
            '.cm-collapsedLines::before, .cm-collapsedLines::after': { content: '""' },
            '&.cm-merge-b .cm-changedLine, .cm-insertedLine': {
              background: 'color-mix(in srgb, var(--jf-good) 12%, transparent)',
            },
            '&.cm-merge-b .cm-changedText': { background: 'color-mix(in srgb, var(--jf-good) 26%, transparent)' },
            '.cm-deletedChunk': { background: 'color-mix(in srgb, var(--jf-bad) 10%, transparent)' },
            '.cm-deletedChunk .cm-deletedText': { background: 'color-mix(in srgb, var(--jf-bad) 22%, transparent)' },
          }),
        ],
      }),
    });
    return () => editor.destroy();
  }, [label, before, after]);
  return <div ref={host} />;
}
