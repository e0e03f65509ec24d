import { useCredentialTypes, useStoredCredentials } from '../../../../components/credentials/kinds';
import { useFormState } from '../context';
import type { FieldChoice, NodeField } from '../model';
import type { ControlProps } from './props';
import { SelectControl } from './SelectControl';

/** The name of a kind of credential; with `options.kind`, the id of a stored credential of that kind. */
export function CredentialControl(props: ControlProps) {
  const { editable } = useFormState();
  const { kind } = props.field.options ?? {};
  // Who may not change it may not list them either.
  if (!editable) return <SelectControl {...props} />;
  return typeof kind === 'string' ? <Stored {...props} kind={kind} /> : <Kinds {...props} />;
}

function Kinds(props: ControlProps) {
  const { data } = useCredentialTypes();
  const choices = [...(data?.values() ?? [])].map(({ kind, title }) => ({ value: kind, label: title }));
  return <SelectControl {...props} field={withChoices(props.field, choices)} />;
}

function Stored({ kind, ...props }: ControlProps & { kind: string }) {
  const { data } = useStoredCredentials();
  const choices = (data ?? []).filter((one) => one.kind === kind).map(({ id, name }) => ({ value: id, label: name }));
  return <SelectControl {...props} field={withChoices(props.field, choices)} />;
}

/** What the form offers itself goes before. */
function withChoices(field: NodeField, choices: readonly FieldChoice[]): NodeField {
  return field.choices?.length ? field : { ...field, choices: [...choices] };
}
