import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** The editor in the theme's variables, so that it follows light and dark by itself. */
export function look(minHeight: number, maxHeight: number | string): Extension {
  return [
    EditorView.theme({
      // Not of the box around its lists and hints, which has the same class.
      '&.cm-editor': {
        border: '1px solid var(--mantine-color-default-border)',
        borderRadius: 'var(--mantine-radius-md)',
        background: 'var(--jf-surface)',
        color: 'var(--mantine-color-text)',
        fontSize: 'var(--mantine-font-size-sm)',
        minHeight: `${minHeight}px`,
        maxHeight: typeof maxHeight === 'number' ? `${maxHeight}px` : maxHeight,
      },
      '&.cm-focused': { outline: '2px solid var(--mantine-primary-color-filled)', outlineOffset: '-1px' },
      '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', lineHeight: '1.55' },
      '.cm-content': { caretColor: 'var(--mantine-color-text)', padding: '6px 0', minHeight: `${minHeight - 2}px` },
      '.cm-gutters': { background: 'transparent', color: 'var(--mantine-color-dimmed)', border: 'none' },
      '.cm-activeLine': { background: 'var(--jf-hover)' },
      '.cm-selectionMatch': { background: 'var(--jf-accent-soft)' },
      '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
        background: 'var(--jf-accent-soft) !important',
      },
      '.cm-tooltip, .cm-panels': {
        background: 'var(--jf-surface)',
        color: 'var(--mantine-color-text)',
        borderColor: 'var(--jf-line)',
      },
      '.cm-tooltip-autocomplete ul li[aria-selected]': {
        background: 'var(--mantine-primary-color-filled)',
        color: 'var(--mantine-primary-color-contrast)',
      },
      // The usual wave is a picture, which the page's policy refuses.
      '.cm-lintRange-error': {
        backgroundImage: 'none',
        textDecoration: 'underline wavy var(--jf-bad)',
        textDecorationSkipInk: 'none',
      },
      '.cm-diagnostic': { padding: '4px 8px', borderLeftColor: 'var(--jf-bad)' },
      '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px' },
      '.cm-completionDetail': { color: 'var(--mantine-color-dimmed)', fontStyle: 'normal', marginLeft: '1em' },
      'li[aria-selected] .cm-completionDetail': { color: 'inherit' },
      '.cm-placeholder': { color: 'var(--mantine-color-placeholder)' },
    }),
    syntaxHighlighting(
      HighlightStyle.define([
        { tag: [tags.keyword, tags.controlKeyword, tags.operatorKeyword], color: 'var(--jf-code-keyword)' },
        { tag: [tags.string, tags.regexp], color: 'var(--jf-code-string)' },
        { tag: [tags.number, tags.bool, tags.null], color: 'var(--jf-code-number)' },
        { tag: [tags.propertyName, tags.definition(tags.variableName)], color: 'var(--jf-accent-text)' },
        { tag: [tags.processingInstruction], color: 'var(--jf-accent-text)', fontWeight: '650' },
        { tag: [tags.comment], color: 'var(--mantine-color-dimmed)', fontStyle: 'italic' },
        { tag: [tags.heading, tags.strong], fontWeight: '600' },
        { tag: tags.emphasis, fontStyle: 'italic' },
        { tag: tags.link, textDecoration: 'underline' },
        { tag: tags.invalid, color: 'var(--jf-bad)' },
      ]),
    ),
  ];
}
