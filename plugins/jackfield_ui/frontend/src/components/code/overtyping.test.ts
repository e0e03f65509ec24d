// @vitest-environment happy-dom
import { closeBrackets } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { expect, it } from 'vitest';
import { overtyping } from './overtyping';

function typed(data: string, head: number, readOnly = false) {
  const extensions = [closeBrackets(), overtyping, EditorState.readOnly.of(readOnly)];
  const view = new EditorView({
    state: EditorState.create({ doc: 'kiln', selection: { anchor: 0, head }, extensions }),
  });
  const event = new InputEvent('beforeinput', { inputType: 'insertText', data, bubbles: true, cancelable: true });
  view.contentDOM.dispatchEvent(event);
  const found = [event.defaultPrevented, view.state.doc.toString()];
  view.destroy();
  return found;
}

it('what is typed over a selection is put in by the editor, brackets around it', () => {
  expect(typed('a', 4)).toEqual([true, 'a']);
  expect(typed('(', 4)).toEqual([true, '(kiln)']);
});

it('the browser does the rest, and nothing changes what is read-only', () => {
  expect(typed('a', 0)).toEqual([false, 'kiln']);
  expect(typed('a', 4, true)).toEqual([false, 'kiln']);
});
