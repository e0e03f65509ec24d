import type { PageModule } from '../../app/pages';

export default {
  area: 'profiles',
  routes: [
    { path: '', load: () => import('./index') },
    { path: ':alias', load: () => import('./Profile') },
  ],
  actions: [
    { label: 'New profile', keywords: 'create add agent provider model key', to: '/ui/profiles?new', role: 'member' },
  ],
} satisfies PageModule;
