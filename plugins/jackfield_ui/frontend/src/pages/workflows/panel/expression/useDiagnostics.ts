import type { Diagnostic } from '@codemirror/lint';
import { useEffect, useState } from 'react';
import { diagnosticsOf } from './problems';
import type { Preview } from './usePreview';

const NONE: readonly Diagnostic[] = [];

/** What is underlined. While somebody types it stays where it was. */
export function useDiagnostics(template: string, { problem, of }: Preview): readonly Diagnostic[] {
  const [found, setFound] = useState(NONE);
  const message = problem?.message;
  const start = problem?.place?.start;
  const end = problem?.place?.end;
  useEffect(() => {
    if (of !== template) return;
    let over = false;
    const place = start === undefined || end === undefined ? undefined : { start, end };
    void diagnosticsOf(template, message === undefined ? undefined : { message, place }).then(
      (next) => over || setFound(next.length ? next : NONE),
    );
    return () => {
      over = true;
    };
  }, [template, of, message, start, end]);
  return found;
}
