import { closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, type LanguageSupport } from '@codemirror/language';
import { type Diagnostic, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import {
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  placeholder as placeholderOf,
  tooltips,
} from '@codemirror/view';
import { useEffect, useEffectEvent, useRef } from 'react';
import { styleNonce } from '../../app/nonce';
import { look } from './look';
import { overtyping } from './overtyping';

export type Language = 'json' | 'javascript' | 'rhai' | 'markdown' | 'template' | 'text';

export interface EditorProps {
  /** What is written here, for screen readers. */
  label: string;
  value: string;
  onChange?: (value: string) => void;
  language?: Language;
  readOnly?: boolean;
  minHeight?: number;
  maxHeight?: number | string;
  lineNumbers?: boolean;
  placeholder?: string;
  /** The editor takes the focus when it is shown, with the cursor at this place. */
  cursor?: number | undefined;
  /** Completions, linters, key bindings. Must stay the same object while nothing changes. */
  extensions?: Extension;
  /** What is underlined, with a message. Must stay the same object while nothing changes. */
  diagnostics?: readonly Diagnostic[];
}

async function support(language: Language): Promise<LanguageSupport | []> {
  switch (language) {
    case 'json':
      return (await import('@codemirror/lang-json')).json();
    case 'javascript':
    // Rhai's syntax is near enough for colours.
    case 'rhai':
      return (await import('@codemirror/lang-javascript')).javascript();
    case 'template':
      return (await import('./templates')).templates();
    case 'markdown':
      return (await import('@codemirror/lang-markdown')).markdown();
    default:
      return [];
  }
}

/** Lists and hints are not cut off by the panes of a dialog, which can be scrolled. */
function inDialog(host: HTMLElement): Extension {
  const dialog = host.closest<HTMLElement>('[role="dialog"]');
  return dialog ? tooltips({ parent: dialog, tooltipSpace: () => dialog.getBoundingClientRect() }) : [];
}

const NONE: Extension = [];
const RIGHT: readonly Diagnostic[] = [];

export default function Editor({
  label,
  value,
  onChange,
  language = 'text',
  readOnly = false,
  minHeight = 120,
  maxHeight = 480,
  lineNumbers: numbered = true,
  placeholder,
  cursor,
  extensions = NONE,
  diagnostics = RIGHT,
}: EditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const written = useEffectEvent((text: string) => onChange?.(text));
  const start = useEffectEvent(() => value);
  const begins = useEffectEvent((): Record<string, string> => (cursor === undefined ? {} : { 'data-autofocus': '' }));
  const place = useEffectEvent((editor: EditorView) => {
    if (cursor === undefined) return;
    editor.dispatch({ selection: { anchor: Math.min(cursor, editor.state.doc.length) } });
    editor.focus();
  });

  useEffect(() => {
    if (!host.current) return;
    const slot = new Compartment();
    const editor = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: start(),
        extensions: [
          EditorView.cspNonce.of(styleNonce()),
          numbered ? [lineNumbers(), foldGutter()] : [],
          history(),
          indentOnInput(),
          bracketMatching(),
          closeBrackets(),
          overtyping,
          highlightActiveLine(),
          highlightSelectionMatches(),
          // Tab leaves the editor after Escape, so that nobody is caught in it.
          keymap.of([
            ...closeBracketsKeymap,
            ...defaultKeymap,
            ...historyKeymap,
            ...foldKeymap,
            ...searchKeymap,
            ...completionKeymap,
            indentWithTab,
          ]),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({
            'aria-label': label,
            tabindex: '0',
            // A dialog that opens with the editor leaves it the focus.
            ...begins(),
          }),
          inDialog(host.current),
          EditorState.readOnly.of(readOnly),
          placeholder ? placeholderOf(placeholder) : [],
          EditorView.updateListener.of((update) => update.docChanged && written(update.state.doc.toString())),
          look(minHeight, maxHeight),
          slot.of([]),
          extensions,
        ],
      }),
    });
    view.current = editor;
    place(editor);
    void support(language).then((loaded) => editor.dispatch({ effects: slot.reconfigure(loaded) }));
    return () => editor.destroy();
  }, [label, language, readOnly, numbered, placeholder, minHeight, maxHeight, extensions]);

  useEffect(() => {
    const editor = view.current;
    const present = editor?.state.doc.toString();
    if (editor && present !== value) editor.dispatch({ changes: { from: 0, to: present?.length ?? 0, insert: value } });
  }, [value]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: an editor that is made anew has none
  useEffect(() => {
    const editor = view.current;
    if (!editor) return;
    const { length } = editor.state.doc;
    const fitting = diagnostics.filter(({ from, to }) => from <= to && to <= length);
    editor.dispatch(setDiagnostics(editor.state, fitting));
  }, [diagnostics, label, language, readOnly, numbered, placeholder, minHeight, maxHeight, extensions]);

  return <div ref={host} />;
}
