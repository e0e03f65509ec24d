import type { PageModule } from '../../app/pages';

export default {
  area: 'help',
  routes: [
    { path: '', load: () => import('./index') },
    { path: ':page', load: () => import('./index') },
    { path: 'nodes/*', load: () => import('./index') },
  ],
  actions: [{ label: 'Read the documentation', keywords: 'help docs manual', to: '/ui/help' }],
} satisfies PageModule;
