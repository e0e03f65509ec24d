/** The frame of a field that may hold an expression: the switch between fixed and expression, and the drop of a field. */

import { Box, Button, Input } from '@mantine/core';
import { type DragEvent, type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { t } from '../../../language/messages';
import { ExpressionField } from '../panel/ExpressionField';
import classes from '../panel/panel.module.css';
import { TypedContext, useFormState } from './context';
import { helpOf } from './controls/help';
import { type DraggedField, draggedIn, isDragged } from './drag';
import type { NodeField } from './model';
import { isExpression, isLocator, isWritten, takesNoText } from './values';

interface Props {
  field: NodeField;
  value: unknown;
  onChange: (value: unknown) => void;
  error: string | undefined;
  /** In place of taking the expression alone. */
  onDropped?: ((dragged: DraggedField) => void) | undefined;
  /** The control, for a value that is no expression. */
  children: ReactNode;
}

export function Slot({ field, value, onChange, error, onDropped, children }: Props) {
  const { editable } = useFormState();
  const [cursor, setCursor] = useState<number>();
  const inner = isLocator(value) ? value.value : value;
  const set = (next: unknown) => onChange(isLocator(value) ? { ...value, value: next ?? '' } : next);
  const on = isExpression(inner);
  const typed = (text: string, at: number | null) => {
    const begun = text.startsWith('=');
    const before = typeof inner === 'string' && inner.includes('{{');
    if (!begun && (before || !text.includes('{{'))) return false;
    const template = begun ? text.slice(1) : text;
    const place = at === null ? placeIn(template) : Math.max(0, at - (begun ? 1 : 0));
    setCursor(place);
    set(`=${closed(template, place)}`);
    return true;
  };
  const begin = () => {
    setCursor(2);
    set('={{}}');
  };
  const onBraces = useTwoBraces(begin);
  const take = (event: DragEvent) => {
    const dragged = draggedIn(event);
    if (!dragged || (on && inner.trim() !== '=') || !editable) return;
    event.preventDefault();
    event.stopPropagation();
    if (onDropped) onDropped(dragged);
    else set(`=${isWritten(field) ? behind(inner) : ''}${dragged.expression}`);
  };
  return (
    <Box
      className={classes.field}
      onDragOver={(event) => isDragged(event) && !on && event.preventDefault()}
      onDropCapture={take}
      onKeyDownCapture={editable && !on && takesNoText(field) ? onBraces : undefined}
    >
      {editable && (
        <Modes
          label={field.label}
          on={on}
          onFixed={() => set(fixed(inner))}
          onExpression={() => {
            setCursor(undefined);
            set(expressionOf(inner));
          }}
        />
      )}
      {on ? (
        <Input.Wrapper
          label={field.label}
          labelElement="div"
          description={helpOf(field)}
          withAsterisk={field.required}
          error={error}
        >
          <ExpressionField label={field.label} value={inner} onChange={set} cursor={cursor} />
        </Input.Wrapper>
      ) : (
        <TypedContext value={typed}>{children}</TypedContext>
      )}
    </Box>
  );
}

/** A second brace typed behind a first one, in controls that take no braces. */
function useTwoBraces(begin: () => void) {
  const first = useRef(false);
  return (event: KeyboardEvent) => {
    if (['Shift', 'Alt', 'AltGraph', 'Control'].includes(event.key)) return;
    const second = first.current && event.key === '{';
    first.current = event.key === '{' && !second;
    if (!second) return;
    event.preventDefault();
    event.stopPropagation();
    begin();
  };
}

/** Behind the first two braces. */
function placeIn(template: string): number {
  const at = template.indexOf('{{');
  return at < 0 ? template.length : at + 2;
}

/** Braces that somebody has just typed are closed. */
function closed(template: string, place: number): string {
  const [before, after] = [template.slice(0, place), template.slice(place)];
  return before.endsWith('{{') && !after.includes('}}') ? `${before}}}${after}` : template;
}

/** What is written already stays in front of what is dropped. */
function behind(text: unknown): string {
  return typeof text === 'string' && text !== '' && text !== '=' ? `${text} ` : '';
}

function Modes({
  label,
  on,
  onFixed,
  onExpression,
}: {
  label: string;
  on: boolean;
  onFixed: () => void;
  onExpression: () => void;
}) {
  return (
    <Button.Group className={classes.modes}>
      <Button
        size="compact-xs"
        variant={on ? 'default' : 'light'}
        aria-pressed={!on}
        aria-label={t('Fixed value for {label}', { label })}
        onClick={() => on && onFixed()}
      >
        {t('Fixed')}
      </Button>
      <Button
        size="compact-xs"
        variant={on ? 'light' : 'default'}
        aria-pressed={on}
        aria-label={t('Expression for {label}', { label })}
        onClick={() => !on && onExpression()}
      >
        {t('Expression')}
      </Button>
    </Button.Group>
  );
}

function expressionOf(value: unknown): string {
  if (value === undefined || value === null || value === '') return '=';
  return typeof value === 'string' ? `=${value}` : `={{ ${JSON.stringify(value)} }}`;
}

/** Back to what it was: `={{ 5 }}` to 5, `=text` to text. */
function fixed(value: unknown): unknown {
  const text = String(value).slice(1);
  const bare = /^\{\{\s*(.*?)\s*\}\}$/s.exec(text)?.[1];
  if (bare !== undefined) {
    try {
      return JSON.parse(bare) as unknown;
    } catch {
      return text;
    }
  }
  return text || undefined;
}
