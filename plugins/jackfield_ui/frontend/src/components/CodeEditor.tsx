import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { EditorProps } from './code/Editor';

export type { EditorProps, Language } from './code/Editor';

const Editor = lazy(() => import('./code/Editor'));

/** CodeMirror, fetched when the first one is shown. Its place is kept meanwhile. */
export function CodeEditor(props: EditorProps) {
  return (
    <Suspense fallback={<Skeleton height={props.minHeight ?? 120} />}>
      <Editor {...props} />
    </Suspense>
  );
}
