import { Skeleton } from '@mantine/core';
import { type ComponentType, lazy, Suspense, useState } from 'react';
import type { EditorProps } from './code/Editor';

export type { EditorProps, Language } from './code/Editor';

/** CodeMirror, fetched once. Whoever must not wait for the first one asks for it before. */
class Fetched {
  /** undefined: it is not here yet. */
  editor: ComponentType<EditorProps> | undefined;

  readonly fetch = async () => {
    const module = await import('./code/Editor');
    this.editor = module.default;
    return module;
  };
}

const fetched = new Fetched();
const Later = lazy(fetched.fetch);

/** So that an input can become an editor between two keys. */
export function fetchEditor(): void {
  void fetched.fetch();
}

/** CodeMirror, fetched when the first one is shown. Its place is kept meanwhile. */
export function CodeEditor(props: EditorProps) {
  // An editor that is shown stays the same one, with its cursor.
  const [Editor] = useState(() => fetched.editor);
  if (Editor) return <Editor {...props} />;
  return (
    <Suspense fallback={<Skeleton height={props.minHeight ?? 120} />}>
      <Later {...props} />
    </Suspense>
  );
}
