import type { PageModule } from '../../app/pages';

export default {
  area: 'registry',
  routes: [{ path: '', load: () => import('./index') }],
} satisfies PageModule;
