import type { PageModule } from '../../app/pages';
import { t } from '../../language/messages';

export default {
  area: 'proxies',
  routes: [
    { path: '', load: () => import('./index') },
    { path: ':alias', load: () => import('./Detail') },
  ],
  actions: [{ label: t('Set up a proxy'), keywords: 'rules routing new', to: '/ui/proxies?new', role: 'member' }],
} satisfies PageModule;
