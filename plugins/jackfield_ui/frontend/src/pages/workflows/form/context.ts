import { createContext, useContext } from 'react';
import type { Values } from './model';
import type { ListPlace } from './useOptions';

/** The whole form around a field. */
export interface FormState {
  /** The node's version, by which fields are shown. */
  version: number;
  /** What the top level holds, with its defaults. */
  top: Values;
  /** Labels of the top level's fields, by name. */
  labels: ReadonlyMap<string, string>;
  /** By the daemon's paths. */
  errors: Readonly<Record<string, string>>;
  editable: boolean;
  /** Where loaded lists come from. */
  lists: ListPlace;
}

export const NO_LISTS: ListPlace = { kind: '', credential: undefined, needsCredential: false };

export const FormContext = createContext<FormState>({
  version: 1,
  top: {},
  labels: new Map(),
  errors: {},
  editable: true,
  lists: NO_LISTS,
});

export const useFormState = (): FormState => useContext(FormContext);

/**
 * Told by an input what is typed into it, with the place of the cursor. True: that made an expression of it, and the
 * input need do nothing more.
 */
export type Typed = (text: string, cursor: number | null) => boolean;

export const TypedContext = createContext<Typed>(() => false);

export const useTyped = (): Typed => useContext(TypedContext);
