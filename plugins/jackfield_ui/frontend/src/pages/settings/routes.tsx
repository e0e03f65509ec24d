import type { PageModule } from '../../app/pages';
import { t } from '../../language/messages';

export default {
  area: 'settings',
  routes: [
    { path: '', load: () => import('./index') },
    { path: 'projects/:project', load: () => import('./projects/Project') },
    { path: ':section', load: () => import('./index') },
  ],
  actions: [
    { label: t('New API key'), keywords: 'create token scopes', to: '/ui/settings/api-keys?new' },
    {
      label: t('New virtual key'),
      keywords: 'create proxy gateway budget',
      to: '/ui/settings/virtual-keys?new',
      role: 'member',
    },
    { label: t('MCP clients'), keywords: 'oauth grants revoke agents', to: '/ui/settings/mcp-clients' },
    { label: t('New credential'), keywords: 'create secret oauth', to: '/ui/settings/credentials?new', role: 'member' },
    { label: t('New variable'), keywords: 'create $vars', to: '/ui/settings/variables?new', role: 'member' },
    { label: t('New project'), keywords: 'create team members share', to: '/ui/settings/projects?new', role: 'admin' },
    { label: t('Projects'), keywords: 'team members share move', to: '/ui/settings/projects' },
    { label: t('Audit log'), keywords: 'records acts export chain', to: '/ui/settings/audit' },
    { label: t('Log streaming'), keywords: 'syslog otlp siem', to: '/ui/settings/log-streams', role: 'admin' },
    { label: t('Source control'), keywords: 'git push pull', to: '/ui/settings/source-control', role: 'admin' },
    { label: t('Users'), keywords: 'accounts roles add', to: '/ui/settings/users', role: 'admin' },
    { label: t('Second factor, passkeys and sessions'), keywords: 'totp 2fa mfa devices', to: '/ui/settings/security' },
    { label: t('Change your password'), keywords: 'account', to: '/ui/settings' },
  ],
} satisfies PageModule;
