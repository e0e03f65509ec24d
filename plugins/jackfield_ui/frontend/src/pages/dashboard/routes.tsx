import type { PageModule } from '../../app/pages';

export default {
  area: 'dashboard',
  routes: [{ path: '', load: () => import('./index') }],
} satisfies PageModule;
