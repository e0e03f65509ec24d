import { type UseFormReturnType, useForm } from '@mantine/form';
import { useState } from 'react';
import { changesOf, outdated, unchanged } from './edits';

interface StoredForm<Values extends Record<string, unknown>> {
  form: UseFormReturnType<Values>;
  dirty: boolean;
  /** A field that is changed here was changed elsewhere too. */
  late: boolean;
  /** Begin anew with these. */
  take: (values: Values) => void;
  /** These are stored now, made of what was `sent`: what was typed since stays. */
  saved: (values: Values, sent: Values) => void;
  /** Go on with what is here: saving it replaces what is stored now. */
  keep: () => void;
}

/** A form over what is stored. Fields that are not changed here follow what is stored, whoever changes it. */
export function useStoredForm<Values extends Record<string, unknown>>(stored: Values): StoredForm<Values> {
  const form = useForm<Values>({ initialValues: stored });
  const [seen, setSeen] = useState(stored);
  const late = outdated(form.values, seen, stored);
  const take = (values: Values) => {
    setSeen(values);
    form.setValues(values);
    form.clearErrors();
  };
  const saved = (values: Values, sent: Values) => {
    const now = form.getValues();
    const typed = changesOf(now, sent);
    setSeen(values);
    form.setValues({ ...values, ...typed });
    form.clearErrors();
  };
  const followed = unchanged(form.values, seen, stored);
  if (Object.keys(followed).length) {
    setSeen({ ...seen, ...followed });
    form.setValues(followed);
  }
  return {
    form,
    dirty: Object.keys(changesOf(form.values, stored)).length > 0,
    late,
    take,
    saved,
    keep: () => setSeen(stored),
  };
}
