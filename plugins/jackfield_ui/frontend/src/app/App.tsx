import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect } from 'react';
import { RouterProvider } from 'react-router/dom';
import { connection } from '../api/connection';
import { makeQueryClient } from '../api/queries';
import { ConfirmHost } from '../components/confirm';
import { styleNonce } from './nonce';
import { fetchPage, router } from './router';
import { session } from './session';
import { SHARED } from './shared';
import { theme, variables } from './theme';

const schemes = localStorageColorSchemeManager({ key: 'jackfield.scheme' });
const queries = makeQueryClient();
session.onAnotherUser = () => queries.clear();

export function App() {
  useEffect(() => {
    if (location.pathname === SHARED) return;
    void session.start();
    fetchPage();
    // A daemon that was away when the page opened: begin again once it is there.
    return connection.onReturn(() => {
      if (session.now().phase === 'starting') void session.start();
    });
  }, []);
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={variables}
      colorSchemeManager={schemes}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <QueryClientProvider client={queries}>
        <Notifications position="bottom-right" limit={4} />
        <RouterProvider router={router} />
        <ConfirmHost />
      </QueryClientProvider>
    </MantineProvider>
  );
}
