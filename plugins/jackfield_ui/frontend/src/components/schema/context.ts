import { createContext, type ReactNode, useContext } from 'react';
import type { FieldKind, Path, Schema } from './schema';

/** One field, as `renderField` gets it. */
export interface FieldInfo {
  name: string;
  path: Path;
  label: string;
  kind: FieldKind;
  /** References and "or null" resolved. */
  schema: Schema;
  required: boolean;
  value: unknown;
  onChange: (value: unknown) => void;
  error: string | undefined;
}

export type RenderField = (field: FieldInfo, input: ReactNode) => ReactNode;

export interface FormState {
  root: Schema;
  errors: Readonly<Record<string, string>>;
  renderField: RenderField | undefined;
  readOnly: boolean;
}

export const FormContext = createContext<FormState>({ root: {}, errors: {}, renderField: undefined, readOnly: false });

export function useForm(): FormState {
  return useContext(FormContext);
}
