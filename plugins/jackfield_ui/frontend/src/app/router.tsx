import { lazy, Suspense, useState } from 'react';
import { createBrowserRouter, Navigate, type RouteObject } from 'react-router';
import { Fetched } from '../components/fetched';
import { areaPath } from './areas';
import { Gatekeeper } from './Gatekeeper';
import { LoginRoute } from './Login';
import { NotFound } from './NotFound';
import { PageFrame } from './PageFrame';
import { PAGES } from './pages';
import { INVITATION, SHARED } from './shared';

/** What a shared link opens: it asks nobody to log in, and nothing of the API. */
const Shared = lazy(() => import('../pages/terminals/Shared'));
const Invitation = lazy(() => import('../pages/invitation'));

const pages: RouteObject[] = PAGES.flatMap(({ area, routes }) =>
  routes.map(({ path, load, full }) => {
    const fetched = new Fetched(load);
    const at = path ? `${areaPath(area)}/${path}` : areaPath(area);
    return {
      path: at,
      handle: fetched.fetch,
      element: (
        <PageFrame full={full ?? false}>
          <Content key={at} fetched={fetched} />
        </PageFrame>
      ),
    };
  }),
);

function Content({ fetched }: { fetched: Fetched<object> }) {
  const [Shown] = useState(() => fetched.here ?? fetched.later);
  return <Shown />;
}

// No loaders and no actions: pages ask with react-query. The router is the one that can block a navigation (unsaved work).
export const router = createBrowserRouter([
  {
    path: SHARED,
    element: (
      <Suspense>
        <Shared />
      </Suspense>
    ),
  },
  {
    path: INVITATION,
    element: (
      <Suspense>
        <Invitation />
      </Suspense>
    ),
  },
  {
    element: <Gatekeeper />,
    children: [
      ...pages,
      { path: '/ui', element: <Navigate to="/" replace /> },
      { path: '/ui/login', element: <LoginRoute /> },
      { path: '*', element: <NotFound /> },
    ],
  },
]);

/** The code of the page that is opened. What fails here fails again, and is told, where the page is drawn. */
export async function fetchPage(): Promise<void> {
  const load: unknown = router.state.matches.at(-1)?.route.handle;
  if (typeof load === 'function') await Promise.resolve(load()).catch(() => undefined);
}
