import { type UseFormReturnType, useForm } from '@mantine/form';
import { useState } from 'react';
import { drafted } from '../../components/drafting';

interface StoredRows<Stored, Row> {
  form: UseFormReturnType<{ rows: Row[] }>;
  rows: Row[];
  /** Differ from what they began with. */
  dirty: boolean;
  /** What is stored has been changed by somebody else since, while there are changes here. */
  late: boolean;
  /** Begin anew with these. */
  take: (stored: Stored) => void;
  /** Go on with what is here: saving it replaces what is stored now. */
  keep: () => void;
  /** All rows anew; Mantine's functions for one row tell no change of what is newer than their first render. */
  setRows: (rows: Row[]) => void;
  /** Saves the rows by `send`, which gives what is stored then. What is typed meanwhile stays. Throws what `send` does. */
  save: (send: () => Promise<Stored>) => Promise<void>;
}

/**
 * A form over something stored, as a list of rows. As long as nothing was changed in it, it follows what is stored.
 * textOf tells two lists apart; onChange: a row has changed, so that what was said of the rows counts no more.
 */
export function useStoredRows<Stored, Row>(
  stored: Stored,
  rowsOf: (stored: Stored) => Row[],
  textOf: (rows: readonly Row[]) => string,
  onChange: () => void,
): StoredRows<Stored, Row> {
  const form = useForm<{ rows: Row[] }>({
    initialValues: { rows: rowsOf(stored) },
    onValuesChange: onChange,
  });
  const [base, setBase] = useState(stored);
  const [saving, setSaving] = useState(false);
  const { rows } = form.values;
  // What is being saved is no news from elsewhere.
  const state = saving ? 'dirty' : drafted(textOf(rows), textOf(rowsOf(base)), textOf(rowsOf(stored)));
  const take = (from: Stored) => {
    setBase(from);
    form.setValues({ rows: rowsOf(from) });
    form.clearErrors();
  };
  const save = async (send: () => Promise<Stored>) => {
    setSaving(true);
    try {
      const saved = await send();
      if (textOf(form.getValues().rows) === textOf(rows)) take(saved);
      else setBase(saved);
    } finally {
      setSaving(false);
    }
  };
  if (state === 'follow') take(stored);
  return {
    form,
    rows,
    dirty: state === 'dirty' || state === 'outdated',
    late: state === 'outdated',
    take,
    keep: () => setBase(stored),
    setRows: (next) => form.setValues({ rows: next }),
    save,
  };
}
