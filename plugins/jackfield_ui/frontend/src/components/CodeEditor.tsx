import { Skeleton } from '@mantine/core';
import { Suspense, useState } from 'react';
import type { EditorProps } from './code/Editor';
import { Fetched } from './fetched';

export type { EditorProps, Language } from './code/Editor';

/** CodeMirror. Whoever must not wait for the first one asks for it before. */
const fetched = new Fetched(() => import('./code/Editor'));
const Later = fetched.later;

/** So that an input can become an editor between two keys. */
export function fetchEditor(): void {
  void fetched.fetch();
}

/** CodeMirror, fetched when the first one is shown. Its place is kept meanwhile. */
export function CodeEditor(props: EditorProps) {
  // An editor that is shown stays the same one, with its cursor.
  const [Editor] = useState(() => fetched.here);
  if (Editor) return <Editor {...props} />;
  return (
    <Suspense fallback={<Skeleton height={props.minHeight ?? 120} />}>
      <Later {...props} />
    </Suspense>
  );
}
