import type { PageModule } from '../../app/pages';
import { t } from '../../language/messages';

export default {
  area: 'logs',
  routes: [{ path: '', load: () => import('./index') }],
  actions: [
    { label: t('Errors in the log'), keywords: 'problems warnings', to: '/ui/logs?level=error', role: 'admin' },
  ],
} satisfies PageModule;
