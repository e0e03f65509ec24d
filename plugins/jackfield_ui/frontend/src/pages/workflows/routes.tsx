import type { PageModule } from '../../app/pages';
import { t } from '../../language/messages';

export default {
  area: 'workflows',
  routes: [
    { path: '', load: () => import('./index') },
    { path: 'import', load: () => import('./MoveIn') },
    { path: ':id', load: () => import('./Editor'), full: true },
  ],
  actions: [
    { label: t('New workflow'), keywords: 'create add', to: '/ui/workflows?new', role: 'member' },
    { label: t('New workflow from an example'), keywords: 'template', to: '/ui/workflows?new=example', role: 'member' },
    { label: t('Import workflows'), keywords: 'n8n paste file upload', to: '/ui/workflows?new=import', role: 'member' },
    {
      label: t('Move in from n8n'),
      keywords: 'import credentials database',
      to: '/ui/workflows/import',
      role: 'member',
    },
  ],
} satisfies PageModule;
