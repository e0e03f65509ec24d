import { Modal as MantineModal, type ModalProps } from '@mantine/core';
import { useEffect, useState } from 'react';

/** Mantine's dialog. The focus goes back to where it was, also when the dialog is mounted open and unmounted to close. */
export function Modal({ returnFocus = true, opened, children, ...props }: ModalProps) {
  const [before, setBefore] = useState(() => ({ opened, opener: opened ? opener() : null }));
  if (opened !== before.opened) setBefore({ opened, opener: opened ? opener() : before.opener });
  return (
    <MantineModal {...props} opened={opened} returnFocus={returnFocus}>
      {returnFocus && <FocusReturn to={before.opener} />}
      {children}
    </MantineModal>
  );
}

function FocusReturn({ to }: { to: HTMLElement | null }) {
  useEffect(
    () => () => {
      setTimeout(() => {
        const nowhere = document.activeElement === null || document.activeElement === document.body;
        if (nowhere && to?.isConnected) to.focus({ preventScroll: true });
      });
    },
    [to],
  );
  return null;
}

/** What has the focus; of an open menu, which goes away, the button that opened it. */
function opener(): HTMLElement | null {
  const active = document.activeElement;
  const menu = active?.closest('[role=menu]');
  const button = menu && document.getElementById(menu.getAttribute('aria-labelledby') ?? '');
  const found = button ?? active;
  return found instanceof HTMLElement ? found : null;
}
