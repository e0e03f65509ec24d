import type { PageModule } from '../../app/pages';

export default {
  area: 'webhooks',
  routes: [
    { path: '', load: () => import('./index') },
    { path: ':id', load: () => import('./Detail') },
  ],
} satisfies PageModule;
