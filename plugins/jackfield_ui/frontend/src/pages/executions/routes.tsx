import type { PageModule } from '../../app/pages';
import { t } from '../../language/messages';

export default {
  area: 'executions',
  routes: [
    { path: '', load: () => import('./index') },
    { path: 'compare/:left/:right', load: () => import('./Compare') },
    { path: ':id', load: () => import('./Detail') },
  ],
  actions: [{ label: t('Failed executions'), keywords: 'errors', to: '/ui/executions?status=failed' }],
} satisfies PageModule;
