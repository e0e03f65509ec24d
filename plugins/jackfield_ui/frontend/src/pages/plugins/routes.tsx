import type { PageModule } from '../../app/pages';

export default {
  area: 'plugins',
  routes: [
    { path: '', load: () => import('./index') },
    { path: 'community', load: () => import('./Community') },
  ],
  actions: [
    { label: 'Community nodes', keywords: 'npm packages', to: '/ui/plugins/community' },
    { label: 'Add a community package', keywords: 'npm install nodes', to: '/ui/plugins/community?new', role: 'admin' },
  ],
} satisfies PageModule;
