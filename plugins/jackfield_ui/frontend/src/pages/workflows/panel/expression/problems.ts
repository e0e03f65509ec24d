/** Where an error is underlined. */
import type { Diagnostic } from '@codemirror/lint';

export interface Problem {
  message: string;
  /** Of the `{{ }}` that fails; undefined where the daemon does not know. */
  place: { start: number; end: number } | undefined;
}

/** The daemon says which `{{ }}` fails; the place of a mistake in writing is found within. */
export async function diagnosticsOf(template: string, problem: Problem | undefined): Promise<Diagnostic[]> {
  if (!problem) return [];
  const start = Math.min(problem.place?.start ?? 0, template.length);
  const end = Math.min(problem.place?.end ?? template.length, template.length);
  if (start >= end) return [];
  const { mistakeIn } = await import('./mistakes');
  const place = mistakeIn(template, start, end) ?? { from: start, to: end };
  return [{ ...place, severity: 'error', message: problem.message }];
}
