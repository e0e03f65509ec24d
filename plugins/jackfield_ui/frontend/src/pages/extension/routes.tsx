import type { PageModule } from '../../app/pages';

export default {
  area: 'x',
  routes: [{ path: ':extension/:page', load: () => import('./ExtensionPage') }],
} satisfies PageModule;
