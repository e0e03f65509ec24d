import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { DataTable, type DataTableProps } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { IconPlus } from '../../icons/drawn';
import type { Icon } from '../../icons/icon';
import { Section } from './Section';

/** A part of the settings that is a list, with the button that adds to it: in the head, or in place of an empty list. */
export function ListSection<Row>({
  title,
  about,
  icon,
  none,
  hint,
  add,
  onAdd,
  filter,
  children,
  ...table
}: Omit<DataTableProps<Row>, 'label' | 'empty'> & {
  title: string;
  about: ReactNode;
  icon: Icon;
  /** What an empty list is called, and what to do about it. */
  none: string;
  hint: string;
  /** The button's words; undefined where rows come by themselves. */
  add?: string;
  /** Undefined for who may not. */
  onAdd?: (() => void) | undefined;
  filter?: ReactNode;
  /** Dialogs. */
  children?: ReactNode;
}) {
  const button = onAdd && (
    <Button leftSection={<IconPlus size={16} aria-hidden="true" />} onClick={onAdd}>
      {add}
    </Button>
  );
  return (
    <Section title={title} about={about} action={table.rows && table.rows.length > 0 && button}>
      {filter}
      <DataTable
        {...table}
        label={title}
        empty={
          <EmptyState icon={icon} title={none} action={button}>
            {hint}
          </EmptyState>
        }
      />
      {children}
    </Section>
  );
}
