import type { PageModule } from '../../app/pages';

export default {
  area: 'logs',
  routes: [{ path: '', load: () => import('./index') }],
  actions: [{ label: 'Errors in the log', keywords: 'problems warnings', to: '/ui/logs?level=error', role: 'admin' }],
} satisfies PageModule;
