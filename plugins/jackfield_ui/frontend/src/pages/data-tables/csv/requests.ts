import { send } from '../../../api/client';
import type { Schemas } from '../../../api/types';
import { csvPath } from '../queries';
import type { Taken } from './mapping';

export type CsvPreview = Schemas['CsvPreview'];
export type CsvImported = Schemas['CsvImported'];
export type Encoding = CsvPreview['encoding'];
export type Delimiter = CsvPreview['delimiter'];

/** How a file is written; undefined: as it seems to be. */
export interface CsvForm {
  encoding: Encoding | undefined;
  delimiter: Delimiter | undefined;
}

/** Bytes of a file that are sent to be looked at. */
const LOOKED_AT = 256 * 1024;

export function previewCsv(file: File, form: CsvForm, signal: AbortSignal): Promise<CsvPreview> {
  const whole = file.size <= LOOKED_AT;
  const query = { ...form, whole: String(whole) };
  return post('/api/v1/data-tables/csv/preview', query, whole ? file : file.slice(0, LOOKED_AT), signal);
}

/** Where the rows of a file go: into a table, or into a new one of this name. */
export type Target = { id: string } | { name: string };

interface Wanted {
  form: CsvForm;
  columns: readonly Taken[];
  /** A name that the events of the import carry. */
  progress: string;
}

/** The file goes as it is, so that its size is no matter for the page. */
export function importCsv(target: Target, file: File, { form, columns, progress }: Wanted): Promise<CsvImported> {
  const query = { ...form, mapping: JSON.stringify({ columns }), progress };
  if ('id' in target) return post(csvPath(target.id), query, file);
  return post('/api/v1/data-tables/csv', { ...query, name: target.name }, file);
}

async function post<Answer>(
  path: string,
  query: Readonly<Record<string, string | undefined>>,
  content: Blob,
  signal?: AbortSignal,
): Promise<Answer> {
  const url = new URL(path, location.origin);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
  const headers = { 'content-type': 'text/csv' };
  const answer = await send(new Request(url, { method: 'POST', body: content, headers, signal: signal ?? null }));
  return answer.json();
}
