import { ActionIcon, Menu } from '@mantine/core';
import { useState } from 'react';
import { IconDotsVertical } from '../../icons/drawn';
import { t } from '../../language/messages';
import { PlaceDialogs, PlaceItems, type Placing } from './PlaceItems';
import type { Placed } from './PlacingDialog';

/** A menu about the project of one thing that has no other menu. */
export function PlaceMenu({ kind, thing, to }: Pick<Placed, 'kind' | 'to'> & { thing: Placed['things'][number] }) {
  const [placing, setPlacing] = useState<Placing>();
  return (
    <>
      <Menu>
        <Menu.Target>
          <ActionIcon aria-label={t('Project of {name}', { name: thing.name })}>
            <IconDotsVertical size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <PlaceItems onPlace={setPlacing} />
        </Menu.Dropdown>
      </Menu>
      <PlaceDialogs open={placing} kind={kind} things={[thing]} to={to} onClose={() => setPlacing(undefined)} />
    </>
  );
}
