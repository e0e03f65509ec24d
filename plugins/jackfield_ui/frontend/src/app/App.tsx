import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { RouterProvider } from 'react-router/dom';
import { ConfirmHost } from '../components/confirm';
import { queries } from './begin';
import { styleNonce } from './nonce';
import { router } from './router';
import { theme, variables } from './theme';

const Notices = lazy(() => import('./Notices'));

const schemes = localStorageColorSchemeManager({ key: 'jackfield.scheme' });

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={variables}
      colorSchemeManager={schemes}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <QueryClientProvider client={queries}>
        <Suspense>
          <Notices />
        </Suspense>
        <RouterProvider router={router} />
        <ConfirmHost />
      </QueryClientProvider>
    </MantineProvider>
  );
}
