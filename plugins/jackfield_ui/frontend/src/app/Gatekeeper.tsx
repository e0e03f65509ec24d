import { Center, Loader, Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { t } from '../language/messages';
import { LoginForm, LoginPage } from './Login';
import { OfflineBanner } from './OfflineBanner';
import { Shell } from './Shell';
import { useSession } from './session';

/** The shell for who is logged in, the login page for everybody else, and a login above the page when the session ends. */
export function Gatekeeper() {
  const { phase, info } = useSession();
  const queries = useQueryClient();

  const before = useRef(phase);

  // The same user's page is brought up to date.
  useEffect(() => {
    if (phase === 'in' && (before.current === 'expired' || before.current === 'out')) void queries.invalidateQueries();
    before.current = phase;
  }, [phase, queries]);

  if (phase === 'starting') {
    return (
      <>
        <OfflineBanner />
        <Center h="100vh" aria-busy="true">
          <Loader aria-label={t('Opening Jackfield')} />
        </Center>
      </>
    );
  }
  if (phase === 'out') return <LoginPage />;
  return (
    <>
      {/* Nothing that one user had open is another's. */}
      <Shell key={info?.user?.id} />
      <Modal
        opened={phase === 'expired'}
        // Above whatever dialog is open.
        zIndex={1000}
        onClose={() => {}}
        withCloseButton={false}
        closeOnEscape={false}
        closeOnClickOutside={false}
        title={t('Your session has ended')}
      >
        <LoginForm
          hint={t('Log in again to continue. This page stays as you left it.')}
          username={info?.user?.username}
        />
      </Modal>
    </>
  );
}
