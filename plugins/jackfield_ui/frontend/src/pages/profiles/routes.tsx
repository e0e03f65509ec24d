import type { PageModule } from '../../app/pages';
import { t } from '../../language/messages';

export default {
  area: 'profiles',
  routes: [
    { path: '', load: () => import('./index') },
    { path: ':alias', load: () => import('./Profile') },
  ],
  actions: [
    {
      label: t('New profile'),
      keywords: 'create add agent provider model key',
      to: '/ui/profiles?new',
      role: 'member',
    },
  ],
} satisfies PageModule;
