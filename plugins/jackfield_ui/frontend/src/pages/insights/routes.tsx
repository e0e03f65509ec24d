import type { PageModule } from '../../app/pages';

export default {
  area: 'insights',
  routes: [{ path: '', load: () => import('./index') }],
  actions: [
    {
      label: 'See failing workflows',
      keywords: 'insights failure rate executions time saved',
      to: '/ui/insights?period=week',
    },
  ],
} satisfies PageModule;
