/** How templates are written: closing braces, and fields that are dropped into them. */
import { EditorView } from '@codemirror/view';
import { codeBefore } from '../../../../components/code/codeIn';

/** Typed braces go past those that stand there already, where none is missing. */
const pastBraces = EditorView.inputHandler.of((view, from, to, text) => {
  if (text !== '}' || from !== to || view.state.readOnly) return false;
  const doc = view.state.doc.toString();
  if (doc[from] !== '}' || count(doc, '{') !== count(doc, '}')) return false;
  view.dispatch({ selection: { anchor: from + 1 }, userEvent: 'input.type' });
  return true;
});

function count(text: string, sign: string): number {
  return text.split(sign).length - 1;
}

/** `{{ $json.name }}` dropped into code is `$json.name`. */
const drops = EditorView.domEventHandlers({
  drop(event, view) {
    const code = /^\{\{\s*(.*?)\s*\}\}$/s.exec(event.dataTransfer?.getData('text/plain') ?? '')?.[1];
    const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
    if (code === undefined || at === null || view.state.readOnly) return false;
    if (codeBefore(view.state.doc.toString(), at) === undefined) return false;
    event.preventDefault();
    view.dispatch({
      changes: { from: at, insert: code },
      selection: { anchor: at + code.length },
      userEvent: 'input.drop',
    });
    view.focus();
    return true;
  },
});

export const writing = [pastBraces, drops];
