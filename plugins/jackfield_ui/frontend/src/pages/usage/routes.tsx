import type { PageModule } from '../../app/pages';
import { t } from '../../language/messages';

export default {
  area: 'usage',
  routes: [{ path: '', load: () => import('./index') }],
  actions: [
    {
      label: t('Import usage from agents’ logs'),
      keywords: 'tokens cost count',
      to: '/ui/usage?import',
      role: 'member',
    },
  ],
} satisfies PageModule;
