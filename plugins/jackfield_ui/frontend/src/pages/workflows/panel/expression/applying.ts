/** What a chosen completion writes. */
import { type Completion, pickedCompletion } from '@codemirror/autocomplete';
import type { EditorView } from '@codemirror/view';
import { accessor } from '../../../../components/items/values';
import { sampled } from './telling';
import type { Member } from './vocabulary';

type Apply = (view: EditorView, completion: Completion, from: number, to: number) => void;

function put(view: EditorView, completion: Completion, from: number, to: number, insert: string, cursor: number): void {
  view.dispatch({
    changes: { from, to, insert },
    selection: { anchor: from + cursor },
    userEvent: 'input.complete',
    annotations: pickedCompletion.of(completion),
  });
}

/** A call, with the cursor between its brackets where it takes something. */
export function calling({ name, arguments: given }: Member): Apply {
  return (view, completion, from, to) => {
    const open = view.state.doc.sliceString(to, to + 1) === '(';
    const insert = open ? name : `${name}()`;
    put(view, completion, from, to, insert, open || given === '()' ? insert.length : insert.length - 1);
  };
}

/** A field behind a point; one whose name is no word takes the point's place. */
export function field(name: string, type: string, sample: unknown): Completion {
  const access = accessor([name]);
  const plain = access.startsWith('.');
  return {
    label: name,
    detail: type,
    type: 'property',
    boost: 20,
    ...(sample === undefined ? {} : { info: () => sampled(sample) }),
    ...(plain
      ? {}
      : {
          apply: (view, completion, from, to) => {
            const point = view.state.doc.sliceString(from - 2, from) === '?.' ? from : from - 1;
            put(view, completion, point, to, access, access.length);
          },
        }),
  };
}

/** A field in brackets, which are closed. */
export function keyed(name: string, type: string): Completion {
  const text = JSON.stringify(name);
  return {
    label: name,
    detail: type,
    type: 'property',
    apply: (view, completion, from, to) => {
      const rest = /^["']?\]/.exec(view.state.doc.sliceString(to, to + 2))?.[0] ?? '';
      const quote = /["']/.test(view.state.doc.sliceString(from - 1, from)) ? 1 : 0;
      put(view, completion, from - quote, to + rest.length, `${text}]`, text.length + 1);
    },
  };
}
