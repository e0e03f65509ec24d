import type { PageModule } from '../../app/pages';
import { t } from '../../language/messages';

export default {
  area: 'insights',
  routes: [{ path: '', load: () => import('./index') }],
  actions: [
    {
      label: t('See failing workflows'),
      keywords: 'insights failure rate executions time saved',
      to: '/ui/insights?period=week',
    },
  ],
} satisfies PageModule;
