import type { PageModule } from '../../app/pages';

export default { area: 'plugins', routes: [{ path: '', load: () => import('./index') }] } satisfies PageModule;
