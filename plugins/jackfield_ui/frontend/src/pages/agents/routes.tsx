import type { PageModule } from '../../app/pages';

export default {
  area: 'agents',
  routes: [
    { path: '', load: () => import('./index') },
    { path: ':id', load: () => import('./Agent') },
  ],
} satisfies PageModule;
