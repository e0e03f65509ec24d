import type { ComponentType } from 'react';
import { useFormState } from './context';
import { CONTROLS } from './controls';
import { ExtensionControl, extensionOf } from './controls/ExtensionControl';
import { JsonControl } from './controls/JsonControl';
import { ListControl } from './controls/ListControl';
import type { ControlProps } from './controls/props';
import type { DraggedField } from './drag';
import { type NodeField, type Path, pathText } from './model';
import { Slot } from './Slot';
import { canShow, holdsExpression, isContainer, isList } from './values';

interface Props {
  field: NodeField;
  path: Path;
  /** As the document has it; undefined: it is not set. */
  value: unknown;
  /** undefined: it is left out. */
  onChange: (value: unknown) => void;
  onDropped?: (dragged: DraggedField) => void;
}

/** One field, with the control that its description names. What that cannot show is shown as JSON. */
export function FieldView({ field, path, value, onChange, onDropped }: Props) {
  const { errors } = useFormState();
  const error = errorOf(errors, pathText(path), isContainer(field));
  const shown = value ?? field.default ?? undefined;
  const Input = controlOf(field, shown);
  const named = extensionOf(field);
  const props = { field, path, value: shown, onChange, error };
  const input = named ? <ExtensionControl {...props} named={named} Otherwise={Input} /> : <Input {...props} />;
  const expression = holdsExpression(field, shown);
  const switches = field.expression !== false && !isContainer(field) && field.control !== 'notice';
  if (!expression && !switches) return input;
  return (
    <Slot field={field} value={shown} onChange={onChange} error={error} onDropped={onDropped}>
      {input}
    </Slot>
  );
}

function controlOf(field: NodeField, value: unknown): ComponentType<ControlProps> {
  if (!canShow(field, value)) return JsonControl;
  return isList(field) && (value === undefined || Array.isArray(value)) ? ListControl : CONTROLS[field.control];
}

/** That of the field, or of what is in it where no field of its own shows it. */
function errorOf(errors: Readonly<Record<string, string>>, path: string, container: boolean): string | undefined {
  if (errors[path] !== undefined || container) return errors[path];
  const inside = Object.entries(errors).find(([key]) => key.startsWith(`${path}.`) || key.startsWith(`${path}[`));
  return inside?.[1];
}
