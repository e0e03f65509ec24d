import { Box, Center, Loader } from '@mantine/core';
import { useTimeout } from '@mantine/hooks';
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { t } from '../language/messages';
import { ErrorBoundary } from './ErrorBoundary';
import classes from './shell.module.css';

/** Around every page: waits for its code, keeps its errors to itself, and gives its heading the focus. */
export function PageFrame({ full, children }: { full: boolean; children: ReactNode }) {
  const { pathname } = useLocation();
  return (
    <Box className={full ? classes.full : classes.main} px={full ? 0 : { base: 'md', sm: 'lg' }} py={full ? 0 : 'md'}>
      <ErrorBoundary at={pathname}>
        <Suspense fallback={<Waiting />}>
          {children}
          <FocusHeading pathname={pathname} />
        </Suspense>
      </ErrorBoundary>
    </Box>
  );
}

/** Only what takes long gets a sign of it. */
function Waiting() {
  const [shown, setShown] = useState(false);
  useTimeout(() => setShown(true), 250, { autoInvoke: true });
  return (
    <Center h={240} aria-busy="true">
      {shown && <Loader aria-label={t('Loading the page')} />}
    </Center>
  );
}

let first = true;

/** After a navigation the new page's heading is read out; the first page is read by itself. */
function FocusHeading({ pathname }: { pathname: string }) {
  const done = useRef('');
  useEffect(() => {
    if (!first && done.current !== pathname) {
      document.querySelector<HTMLElement>('#main h1')?.focus({ preventScroll: true });
      window.scrollTo(0, 0);
    }
    first = false;
    done.current = pathname;
  }, [pathname]);
  return null;
}
