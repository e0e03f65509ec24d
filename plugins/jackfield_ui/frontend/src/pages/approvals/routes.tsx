import type { PageModule } from '../../app/pages';

export default {
  area: 'approvals',
  routes: [{ path: '', load: () => import('./index') }],
} satisfies PageModule;
