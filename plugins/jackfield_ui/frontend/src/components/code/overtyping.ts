import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

/**
 * What is typed over a selection is put in by the editor. Chromium keeps the look of what it replaces by a style
 * attribute, which the page's policy refuses and reports.
 */
export const overtyping: Extension = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType, isComposing } = event;
    const { main, ranges } = view.state.selection;
    if (inputType !== 'insertText' || !data || isComposing || view.composing) return false;
    if (main.empty || ranges.length > 1 || view.state.readOnly) return false;
    event.preventDefault();
    const insert = () =>
      view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
    const taken = view.state.facet(EditorView.inputHandler).some((one) => one(view, main.from, main.to, data, insert));
    if (!taken) view.dispatch(insert());
    return true;
  },
});
