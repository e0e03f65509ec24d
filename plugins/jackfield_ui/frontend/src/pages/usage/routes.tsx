import type { PageModule } from '../../app/pages';

export default {
  area: 'usage',
  routes: [{ path: '', load: () => import('./index') }],
  actions: [
    { label: 'Import usage from agents’ logs', keywords: 'tokens cost count', to: '/ui/usage?import', role: 'member' },
  ],
} satisfies PageModule;
