import { useFormState } from '../context';
import type { LoadedList } from '../model';
import { listSource, type OptionSource } from '../useOptions';

/** The list of this form's node. */
export function useListSource(load: LoadedList): OptionSource {
  return listSource(load, useFormState());
}
