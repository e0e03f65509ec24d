import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { t } from '../../../language/messages';
import type { CellValue } from '../queries';
import { type GridColumn, readCell, textOf } from './cells';
import classes from './grid.module.css';

export interface EditorProps {
  column: GridColumn;
  value: CellValue;
  /** What was typed to begin with, in place of the value. */
  typed: string | undefined;
  /** down, right: where to go on. */
  onDone: (value: CellValue, down: number, right: number) => void;
  onCancel: () => void;
}

/** A cell being written: Enter, Tab and leaving it keep what is typed, Escape does not. */
export function CellEditor({ column, value, typed, onDone, onCancel }: EditorProps) {
  const before = shownIn(column, value);
  const [text, setText] = useState(typed ?? before);
  const [error, setError] = useState('');
  const field = useRef<HTMLInputElement & HTMLSelectElement>(null);
  const ended = useRef(false);
  useEffect(() => {
    field.current?.focus({ preventScroll: true });
    if (typed === undefined && column.type !== 'boolean' && column.type !== 'date') field.current?.select();
  }, [typed, column.type]);

  const end = (down: number, right: number) => {
    if (ended.current) return;
    const read = text === before ? { value } : readCell(text, column.type);
    if ('error' in read) {
      setError(read.error);
      return;
    }
    ended.current = true;
    onDone(read.value, down, right);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape') {
      ended.current = true;
      onCancel();
    } else if (event.key === 'Enter') end(event.shiftKey ? -1 : 1, 0);
    else if (event.key === 'Tab') end(0, event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
  };
  const onBlur = () => {
    // Left with what cannot be kept: nothing is changed.
    if ('error' in readCell(text, column.type)) onCancel();
    else end(0, 0);
  };
  const shared = {
    ref: field,
    className: classes.editor,
    'aria-label': t('{name}, new value', { name: column.name }),
    'aria-invalid': error !== '',
    value: text,
    onKeyDown,
    onBlur,
    onChange: (event: { currentTarget: { value: string } }) => {
      setText(event.currentTarget.value);
      setError('');
    },
  };
  return (
    <>
      {column.type === 'boolean' ? (
        <select {...shared}>
          <option value="">{t('no value')}</option>
          <option value="true">{t('true')}</option>
          <option value="false">{t('false')}</option>
        </select>
      ) : (
        <input
          {...shared}
          {...(column.type === 'date' && { type: 'datetime-local', step: 1 })}
          {...(column.type === 'number' && { inputMode: 'decimal' as const })}
        />
      )}
      {error && (
        <span role="alert" className={classes.error}>
          {error}
        </span>
      )}
    </>
  );
}

/** As the field has it: a date as the browser's own field takes it, in UTC. */
function shownIn(column: GridColumn, value: CellValue): string {
  const text = textOf(value);
  return column.type === 'date' ? text.replace(/(\.\d+)?Z$/, '') : text;
}
