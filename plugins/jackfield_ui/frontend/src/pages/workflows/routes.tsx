import type { PageModule } from '../../app/pages';

export default {
  area: 'workflows',
  routes: [
    { path: '', load: () => import('./index') },
    { path: 'import', load: () => import('./MoveIn') },
    { path: ':id', load: () => import('./Editor'), full: true },
  ],
  actions: [
    { label: 'New workflow', keywords: 'create add', to: '/ui/workflows?new', role: 'member' },
    { label: 'New workflow from an example', keywords: 'template', to: '/ui/workflows?new=example', role: 'member' },
    { label: 'Import workflows', keywords: 'n8n paste file upload', to: '/ui/workflows?new=import', role: 'member' },
    { label: 'Move in from n8n', keywords: 'import credentials database', to: '/ui/workflows/import', role: 'member' },
  ],
} satisfies PageModule;
