import { Center, Loader, Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { LoginForm, LoginPage } from './Login';
import { OfflineBanner } from './OfflineBanner';
import { Shell } from './Shell';
import { useSession } from './session';

/** The shell for who is logged in, the login page for everybody else, and a login above the page when the session ends. */
export function Gatekeeper() {
  const { phase, info } = useSession();
  const queries = useQueryClient();
  const user = info?.user?.id;
  const known = useRef(user);

  useEffect(() => {
    if (phase !== 'in') return;
    // What another user has seen is nobody else's; the same user's page is brought up to date.
    if (known.current !== undefined && known.current !== user) queries.clear();
    else void queries.invalidateQueries();
    known.current = user;
  }, [phase, user, queries]);

  if (phase === 'starting') {
    return (
      <>
        <OfflineBanner />
        <Center h="100vh" aria-busy="true">
          <Loader aria-label="Opening Jackfield" />
        </Center>
      </>
    );
  }
  if (phase === 'out') return <LoginPage />;
  return (
    <>
      <Shell />
      <Modal
        opened={phase === 'expired'}
        onClose={() => {}}
        withCloseButton={false}
        closeOnEscape={false}
        closeOnClickOutside={false}
        title="Your session has ended"
      >
        <LoginForm hint="Log in again to go on; this page stays as it is." username={info?.user?.username} />
      </Modal>
    </>
  );
}
