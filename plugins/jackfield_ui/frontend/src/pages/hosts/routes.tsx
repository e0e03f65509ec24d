import type { PageModule } from '../../app/pages';

export default { area: 'hosts', routes: [{ path: '', load: () => import('./index') }] } satisfies PageModule;
