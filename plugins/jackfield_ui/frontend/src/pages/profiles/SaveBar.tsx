import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../../language/messages';

interface Props {
  /** Something is not saved. */
  dirty: boolean;
  /** It was changed elsewhere meanwhile; that is decided first. */
  late: boolean;
  saving: boolean;
  onUndo: () => void;
  /** Before them. */
  children?: ReactNode;
  /** There is nothing to be saved. */
  empty?: boolean;
}

/** The end of a form of a profile: save what was changed, or take it back. */
export function SaveBar({ dirty, late, saving, onUndo, children, empty = false }: Props) {
  return (
    <Group gap="sm">
      {children}
      {!empty && (
        <Button type="submit" disabled={!dirty || late} loading={saving}>
          {t('Save')}
        </Button>
      )}
      {dirty && (
        <Button variant="default" onClick={onUndo}>
          {t('Undo')}
        </Button>
      )}
    </Group>
  );
}
