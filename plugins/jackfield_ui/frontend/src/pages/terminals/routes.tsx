import type { PageModule } from '../../app/pages';
import { t } from '../../language/messages';

export default {
  area: 'terminals',
  routes: [
    { path: '', load: () => import('./index') },
    { path: ':id', load: () => import('./Workspace'), full: true },
    { path: ':id/recording', load: () => import('./Replay'), full: true },
  ],
  actions: [
    { label: t('New terminal session'), keywords: 'start agent run shell', to: '/ui/terminals?new', role: 'member' },
  ],
} satisfies PageModule;
