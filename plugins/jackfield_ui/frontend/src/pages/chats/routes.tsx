import type { PageModule } from '../../app/pages';
import { t } from '../../language/messages';

export default {
  area: 'chats',
  routes: [
    { path: '', load: () => import('./index') },
    { path: ':id', load: () => import('./Chat') },
  ],
  actions: [{ label: t('New chat'), keywords: 'start agent session talk', to: '/ui/chats?new', role: 'member' }],
} satisfies PageModule;
