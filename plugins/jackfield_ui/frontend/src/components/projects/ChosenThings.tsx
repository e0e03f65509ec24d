import { Button, Group, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { IconArrowsExchange, IconShare } from '../../icons/drawn';
import { t } from '../../language/messages';
import { PlaceDialogs, type Placing } from './PlaceItems';
import type { Placed } from './PlacingDialog';

/** Moves and shares the selected things. children: what else can be done to them. */
export function ChosenThings({
  kind,
  things,
  to,
  placing = true,
  onChange,
  children,
}: Omit<Placed, 'onDone' | 'onClose'> & {
  /** Whether any of them may be moved and shared. */
  placing?: boolean;
  onChange: (selected: Set<string>) => void;
  children?: ReactNode;
}) {
  const [open, setOpen] = useState<Placing>();
  return (
    <>
      <Group gap="sm" mb="sm">
        <Text size="sm" role="status">
          {t('{things} selected', { things: things.length })}
        </Text>
        {children}
        {placing && (
          <>
            <Button
              variant="default"
              size="compact-sm"
              leftSection={<IconArrowsExchange size={14} aria-hidden="true" />}
              onClick={() => setOpen('move')}
            >
              {t('Move to a project')}
            </Button>
            <Button
              variant="default"
              size="compact-sm"
              leftSection={<IconShare size={14} aria-hidden="true" />}
              onClick={() => setOpen('share')}
            >
              {t('Share')}
            </Button>
          </>
        )}
        <Button variant="subtle" color="gray" c="dimmed" size="compact-sm" onClick={() => onChange(new Set())}>
          {t('Select none')}
        </Button>
      </Group>
      <PlaceDialogs
        open={open}
        kind={kind}
        things={things}
        to={to}
        onDone={(failed) => onChange(new Set(failed))}
        onClose={() => setOpen(undefined)}
      />
    </>
  );
}
