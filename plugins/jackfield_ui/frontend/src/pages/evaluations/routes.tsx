import type { PageModule } from '../../app/pages';
import { t } from '../../language/messages';

export default {
  area: 'evaluations',
  routes: [
    { path: '', load: () => import('./index') },
    { path: 'new', load: () => import('./New') },
    { path: ':name', load: () => import('./Evaluation') },
    { path: ':name/runs/:run', load: () => import('./Run') },
    { path: ':name/compare/:before/:after', load: () => import('./Compare') },
  ],
  actions: [
    { label: t('New evaluation'), keywords: 'create score test judge', to: '/ui/evaluations/new', role: 'member' },
  ],
} satisfies PageModule;
