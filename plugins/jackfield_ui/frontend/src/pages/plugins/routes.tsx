import type { PageModule } from '../../app/pages';
import { t } from '../../language/messages';

export default {
  area: 'plugins',
  routes: [
    { path: '', load: () => import('./index') },
    { path: 'community', load: () => import('./Community') },
  ],
  actions: [
    { label: t('Community nodes'), keywords: 'npm packages', to: '/ui/plugins/community' },
    {
      label: t('Add a community package'),
      keywords: 'npm install nodes',
      to: '/ui/plugins/community?new',
      role: 'admin',
    },
  ],
} satisfies PageModule;
