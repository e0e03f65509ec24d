import type { PageModule } from '../../app/pages';
import { t } from '../../language/messages';

export default {
  area: 'data-tables',
  routes: [
    { path: '', load: () => import('./index') },
    { path: ':id', load: () => import('./Table'), full: true },
  ],
  actions: [{ label: t('New data table'), keywords: 'create add rows csv', to: '/ui/data-tables?new', role: 'member' }],
} satisfies PageModule;
