/** Things that are listed one below the other: their frame, and the buttons of a row. */

import { ActionIcon, Button, Fieldset, Input, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from '../../../../icons/drawn';
import { t } from '../../../../language/messages';
import { useFormState } from '../context';
import classes from '../form.module.css';
import { helpOf } from './help';
import type { ControlProps } from './props';

/** The frame of a field that holds other fields. */
export function Frame({ field, error, children }: Pick<ControlProps, 'field' | 'error'> & { children: ReactNode }) {
  return (
    <Fieldset legend={field.label} className={classes.frame}>
      <Stack gap="sm">
        {field.help && (
          <Text size="xs" c="dimmed">
            {helpOf(field)}
          </Text>
        )}
        {children}
        {error && <Input.Error>{error}</Input.Error>}
      </Stack>
    </Fieldset>
  );
}

export function AddButton({ label, onClick }: { label: string; onClick: () => void }) {
  const { editable } = useFormState();
  if (!editable) return null;
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<IconPlus size={14} aria-hidden="true" />}
      style={{ alignSelf: 'flex-start' }}
      onClick={onClick}
    >
      {label}
    </Button>
  );
}

/** A list that rows are moved in and removed from. */
export interface Moves {
  up?: (() => void) | undefined;
  down?: (() => void) | undefined;
  remove: () => void;
}

export function movesOf<Row>(rows: readonly Row[], index: number, onChange: (rows: Row[]) => void): Moves {
  const to = (place: number) => () => {
    const next = [...rows];
    next.splice(place, 0, ...next.splice(index, 1));
    onChange(next);
  };
  return {
    up: index > 0 ? to(index - 1) : undefined,
    down: index < rows.length - 1 ? to(index + 1) : undefined,
    remove: () => onChange(rows.filter((_, at) => at !== index)),
  };
}

/** title: what is moved and removed, for the names of the buttons; `heading` shows it. */
export function Row({
  title,
  heading = false,
  moves,
  children,
}: {
  title: string;
  heading?: boolean;
  moves: Moves;
  children: ReactNode;
}) {
  const { editable } = useFormState();
  return (
    <div className={classes.row} role="group" aria-label={title} data-heading={heading || undefined}>
      <div className={classes.rowBody}>
        {heading && (
          <Text size="xs" fw={600} c="dimmed" mb={4}>
            {title}
          </Text>
        )}
        {children}
      </div>
      {editable && <Buttons title={title} moves={moves} />}
    </div>
  );
}

function Buttons({ title, moves: { up, down, remove } }: { title: string; moves: Moves }) {
  return (
    <div className={classes.rowButtons}>
      {(up || down) && (
        <>
          <ActionIcon size="sm" disabled={!up} onClick={up} aria-label={t('Move {title} up', { title })}>
            <IconArrowUp size={14} />
          </ActionIcon>
          <ActionIcon size="sm" disabled={!down} onClick={down} aria-label={t('Move {title} down', { title })}>
            <IconArrowDown size={14} />
          </ActionIcon>
        </>
      )}
      <ActionIcon size="sm" onClick={remove} aria-label={t('Remove {title}', { title })}>
        <IconTrash size={14} />
      </ActionIcon>
    </div>
  );
}
