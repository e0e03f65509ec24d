import { Text, TextInput, type TextInputProps, UnstyledButton } from '@mantine/core';
import { type ChangeEvent, type FocusEvent, type KeyboardEvent, useState } from 'react';
import { IconChevronDown, IconChevronUp } from '../../icons/drawn';
import { t } from '../../language/messages';
import classes from './numbers.module.css';
import { bounded, digitsOf, numberOf, understood, written } from './typed';

export interface NumberFieldProps
  extends Omit<TextInputProps, 'value' | 'defaultValue' | 'onChange' | 'type' | 'step'> {
  value?: number | string | null;
  /** '' for none. */
  onChange?: (value: number | string) => void;
  min?: number | undefined;
  max?: number | undefined;
  step?: number;
  /** How many decimals the number may have; 0 for whole numbers. */
  decimals?: number;
  /** False for what is a name more than an amount, such as a port or a year. */
  grouped?: boolean;
  /** A value beyond min or max becomes min or max when the field is left. */
  clamped?: boolean;
}

/**
 * A field for a number, which takes a point or a comma in each language. While it is typed the text stays as it is; with
 * Enter, or when the field is left, the language's own form shows the value as it was understood. Digits are grouped while
 * nobody edits them: a digit more behind 1,234 makes no decimals of it. A line says when another number counts than the
 * one that is typed.
 */
export function NumberField({
  value,
  onChange,
  min = Number.NEGATIVE_INFINITY,
  max = Number.POSITIVE_INFINITY,
  step = 1,
  decimals = 20,
  grouped = true,
  clamped = true,
  onFocus,
  onBlur,
  onKeyDown,
  ...rest
}: NumberFieldProps) {
  const [text, setText] = useState<string | null>(null);
  const [focused, setFocused] = useState(false);
  const fixed = rest.readOnly === true || rest.disabled === true;
  const meant = (typed: string) => rounded(numberOf(understood(typed, decimals === 0)), decimals);
  const kept = (typed: string) => (clamped ? bounded(meant(typed), min, max) : meant(typed));
  const differs = text !== null && String(kept(text)) !== String(numberOf(understood(text, decimals === 0)));

  const type = (event: ChangeEvent<HTMLInputElement>) => {
    const typed = digitsOf(event.currentTarget.value, min < 0);
    setText(typed);
    onChange?.(meant(typed));
  };
  const settle = () => {
    if (text === null) return;
    setText(null);
    if (kept(text) !== meant(text)) onChange?.(kept(text));
  };
  const move = (by: number) => {
    const now = Number(text === null ? (value ?? '') : meant(text)) || 0;
    setText(null);
    onChange?.(Math.min(max, Math.max(min, sum(now, by))));
  };
  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    onKeyDown?.(event);
    if (event.defaultPrevented || fixed) return;
    if (event.key === 'Enter') settle();
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    move(event.key === 'ArrowUp' ? step : -step);
  };
  return (
    <TextInput
      rightSection={fixed ? undefined : <Steps onStep={(sign) => move(sign * step)} />}
      {...rest}
      inputMode={decimals ? 'decimal' : 'numeric'}
      autoComplete="off"
      inputContainer={(input) => (
        <>
          {input}
          <div aria-live="polite">
            {differs && <Text size="xs">{t('Counts as {number}', { number: written(kept(text), grouped) })}</Text>}
          </div>
        </>
      )}
      value={text ?? written(value, grouped && !focused)}
      onChange={type}
      onFocus={(event: FocusEvent<HTMLInputElement>) => {
        ungroup(event.currentTarget, written(value, false));
        setFocused(true);
        onFocus?.(event);
      }}
      onKeyDown={press}
      onBlur={(event: FocusEvent<HTMLInputElement>) => {
        settle();
        setFocused(false);
        onBlur?.(event);
      }}
    />
  );
}

/** At once, before anybody types. All of it is selected, as the Tab key does; a click then sets the caret. */
function ungroup(input: HTMLInputElement, plain: string) {
  if (input.value === plain) return;
  input.value = plain;
  input.select();
}

/** For the mouse alone: the arrow keys do the same. */
function Steps({ onStep }: { onStep: (sign: number) => void }) {
  const step = (sign: number, Icon: typeof IconChevronUp) => (
    <UnstyledButton
      className={classes.step}
      tabIndex={-1}
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => onStep(sign)}
    >
      <Icon size={12} />
    </UnstyledButton>
  );
  return (
    <div className={classes.steps} aria-hidden="true">
      {step(1, IconChevronUp)}
      {step(-1, IconChevronDown)}
    </div>
  );
}

function rounded(value: number | string, decimals: number): number | string {
  return typeof value === 'number' ? Number(value.toFixed(decimals)) : value;
}

/** 0.1 and 0.2 make 0.3. */
function sum(one: number, other: number): number {
  const places = Math.max(...[one, other].map((each) => String(each).split('.')[1]?.length ?? 0));
  return Number((one + other).toFixed(Math.min(places, 20)));
}
