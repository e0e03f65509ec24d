import type { PageModule } from '../../app/pages';
import { t } from '../../language/messages';

export default {
  area: 'help',
  routes: [
    { path: '', load: () => import('./index') },
    { path: ':page', load: () => import('./index') },
    { path: 'nodes/*', load: () => import('./index') },
  ],
  actions: [{ label: t('Read the documentation'), keywords: 'help docs manual', to: '/ui/help' }],
} satisfies PageModule;
