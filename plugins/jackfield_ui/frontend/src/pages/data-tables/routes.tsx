import type { PageModule } from '../../app/pages';

export default {
  area: 'data-tables',
  routes: [
    { path: '', load: () => import('./index') },
    { path: ':id', load: () => import('./Table'), full: true },
  ],
  actions: [{ label: 'New data table', keywords: 'create add rows csv', to: '/ui/data-tables?new', role: 'member' }],
} satisfies PageModule;
