import { Menu } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { IconArrowsExchange, IconShare } from '../../icons/drawn';
import { t } from '../../language/messages';
import type { Placed } from './PlacingDialog';

const MoveDialog = lazy(() => import('./MoveDialog'));
const ShareDialog = lazy(() => import('./ShareDialog'));

export type Placing = 'move' | 'share' | undefined;

/** The part of a thing's menu about projects. */
export function PlaceItems({ onPlace }: { onPlace: (what: Placing) => void }) {
  return (
    <>
      <Menu.Item leftSection={<IconArrowsExchange size={16} />} onClick={() => onPlace('move')}>
        {t('Move to a project')}
      </Menu.Item>
      <Menu.Item leftSection={<IconShare size={16} />} onClick={() => onPlace('share')}>
        {t('Share')}
      </Menu.Item>
    </>
  );
}

export function PlaceDialogs({ open, ...dialog }: Placed & { open: Placing }) {
  return (
    <Suspense>
      {open === 'move' && <MoveDialog {...dialog} />}
      {open === 'share' && <ShareDialog {...dialog} />}
    </Suspense>
  );
}
