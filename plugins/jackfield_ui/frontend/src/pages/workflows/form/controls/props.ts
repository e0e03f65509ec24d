import { useFormState } from '../context';
import type { NodeField, Path } from '../model';
import { helpOf } from './help';

/** What every control gets. */
export interface ControlProps {
  field: NodeField;
  path: Path;
  /** With the field's default where nothing is set; undefined: nothing at all. */
  value: unknown;
  /** undefined leaves the value out. */
  onChange: (value: unknown) => void;
  error: string | undefined;
}

/** The same inside of a frame that has the label. */
export function useInner(props: ControlProps) {
  const { label, description: _, required: __, error, ...common } = useCommon(props);
  return { ...common, 'aria-label': label, 'aria-required': props.field.required === true, error: Boolean(error) };
}

/** What an input of Mantine's gets in every control. */
export function useCommon({ field, error }: ControlProps) {
  const { editable } = useFormState();
  return {
    label: field.label,
    description: helpOf(field),
    placeholder: field.placeholder || undefined,
    required: field.required === true,
    readOnly: !editable,
    error,
  };
}
