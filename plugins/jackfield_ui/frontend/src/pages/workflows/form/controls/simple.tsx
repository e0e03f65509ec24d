/** Inputs of one value. */
import { Alert, ColorInput, PasswordInput, Switch, Textarea, TextInput } from '@mantine/core';
import { type ChangeEvent, type ClipboardEvent, type KeyboardEvent, type SyntheticEvent, useState } from 'react';
import { NumberField } from '../../../../components/numbers/NumberField';
import { useFormState, useTyped } from '../context';
import { emptied, likeBefore } from '../values';
import { helpOf } from './help';
import { type ControlProps, useCommon } from './props';

type TextEvent = ChangeEvent<HTMLInputElement | HTMLTextAreaElement>;

/** The text of an input, and what typing into it does. */
function useWritten({ field, value, onChange }: ControlProps) {
  const typed = useTyped();
  return {
    value: value === undefined || value === null ? '' : String(value),
    onChange: (event: TextEvent) => {
      const { value: text, selectionStart } = event.currentTarget;
      if (typed(text, selectionStart)) return;
      onChange(text === '' ? emptied(field) : likeBefore(text, value));
    },
  };
}

export function TextControl(props: ControlProps) {
  return <TextInput {...useCommon(props)} {...useWritten(props)} />;
}

const MOST_ROWS = 16;

export function TextAreaControl(props: ControlProps) {
  const { rows } = props.field.options ?? {};
  const least = typeof rows === 'number' ? rows : 3;
  return (
    <Textarea
      {...useCommon(props)}
      {...useWritten(props)}
      autosize
      minRows={least}
      maxRows={Math.max(least, MOST_ROWS)}
    />
  );
}

export function SecretControl(props: ControlProps) {
  return <PasswordInput {...useCommon(props)} {...useWritten(props)} autoComplete="new-password" />;
}

/** What begins an expression is no part of a number, so that an input of numbers would drop it. */
function useBegun() {
  const typed = useTyped();
  const take = (event: SyntheticEvent, text: string) => {
    const begun = text.startsWith('=') ? text : `=${text}`;
    if (/^\s*(=|\{\{)/.test(text) && typed(begun, begun.length)) event.preventDefault();
  };
  return {
    onKeyDown: (event: KeyboardEvent<HTMLInputElement>) => take(event, event.key),
    onPaste: (event: ClipboardEvent<HTMLInputElement>) => take(event, event.clipboardData.getData('text/plain')),
  };
}

/** An emptied number is left out when the field is left; until then its default does not come back. */
export function NumberControl(props: ControlProps) {
  const { field, value, onChange } = props;
  const [empty, setEmpty] = useState(false);
  const begins = useBegun();
  const { min, max, step } = field.options ?? {};
  const bound = (given: unknown) => (typeof given === 'number' ? given : undefined);
  return (
    <NumberField
      {...useCommon(props)}
      {...begins}
      grouped={false}
      value={empty || value === undefined || value === null ? '' : (value as number | string)}
      min={bound(min)}
      max={bound(max)}
      step={bound(step) ?? 1}
      clamped={false}
      onBlur={() => setEmpty(false)}
      onChange={(next) => {
        if (String(next) === String(value ?? '')) return;
        setEmpty(next === '');
        onChange(next === '' ? undefined : next);
      }}
    />
  );
}

export function SwitchControl({ field, value, onChange, error }: ControlProps) {
  const { editable } = useFormState();
  return (
    <Switch
      label={field.label}
      description={helpOf(field)}
      error={error}
      disabled={!editable}
      checked={value === true}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}

const LOCAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(\.\d+)?$/;
const DAY = /^\d{4}-\d\d-\d\d$/;

/** The browser's own input for a moment without a time zone; a moment in another form is a text. */
export function DateControl(props: ControlProps) {
  const { field, value } = props;
  const written = useWritten(props);
  const kind = field.options?.time === false ? 'date' : 'datetime-local';
  const native = value === undefined || value === '' || (kind === 'date' ? DAY : LOCAL).test(String(value));
  return <TextInput {...useCommon(props)} {...written} type={native ? kind : 'text'} />;
}

export function ColorControl(props: ControlProps) {
  const { field, value, onChange } = props;
  const { value: text } = useWritten(props);
  const typed = useTyped();
  return (
    <ColorInput
      {...useCommon(props)}
      value={text}
      fixOnBlur={false}
      format={field.options?.alpha === true ? 'hexa' : 'hex'}
      onChange={(next) => next !== (value ?? '') && !typed(next, null) && onChange(next === '' ? emptied(field) : next)}
    />
  );
}

export function NoticeControl({ field }: ControlProps) {
  return (
    <Alert color="gray" title={field.help ? field.label : undefined}>
      {helpOf(field) ?? field.label}
    </Alert>
  );
}

export function HiddenControl() {
  return null;
}
