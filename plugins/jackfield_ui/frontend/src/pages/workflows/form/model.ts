/** The form of a node, as the daemon describes it (`jackfield.api.nodes.forms`); what has its default is left out. */
import type { Schemas } from '../../../api/types';

export type NodeField = Schemas['NodeField'];
export type Control = NodeField['control'];
export type When = Schemas['When'];
export type FieldChoice = Schemas['FieldChoice'];
export type FieldGroup = Schemas['FieldGroup'];
export type LoadedList = Schemas['LoadedList'];
export type NodeForm = Pick<Schemas['NodeTypeForm'], 'versions' | 'default' | 'fields'>;

export type Values = Readonly<Record<string, unknown>>;
export type Path = readonly (string | number)[];

/** The form of the document's version: without a version the default one, for one that has none the newest. */
export function formOf(forms: readonly NodeForm[], version: number | undefined): NodeForm | undefined {
  const found =
    version === undefined ? forms.find((form) => form.default) : forms.find((form) => form.versions.includes(version));
  return found ?? newestOf(forms);
}

function newestOf(forms: readonly NodeForm[]): NodeForm | undefined {
  const newest = (form: NodeForm) => Math.max(Number.NEGATIVE_INFINITY, ...form.versions);
  return [...forms].sort((a, b) => newest(b) - newest(a))[0];
}

/** The version by which fields are shown. */
export function versionOf(form: NodeForm, version: number | undefined): number {
  return version ?? Math.max(...form.versions, 0);
}

/** As the daemon names fields: `assignments.assignments[0].name`. */
export function pathText(path: Path): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text ? `${text}.${part}` : part),
    '',
  );
}
