import { Loader, Tabs } from '@mantine/core';
import { type ComponentType, lazy, Suspense } from 'react';
import { useNavigate, useParams } from 'react-router';
import { areaPath } from '../../app/areas';
import { useExtensions } from '../../app/extensions';
import { Page } from '../../components/Page';
import { t } from '../../language/messages';
import { Drawn } from '../extension/Drawn';
import { Account } from './Account';
import { ApiKeys } from './ApiKeys';
import { Credentials } from './Credentials';
import { McpClients } from './McpClients';
import { Projects } from './projects';
import classes from './settings.module.css';
import { Users } from './Users';
import { Variables } from './Variables';
import { VirtualKeys } from './VirtualKeys';

const AuditLog = lazy(() => import('./audit'));
const LogStreams = lazy(() => import('./logStreams'));
const SourceControl = lazy(() => import('./SourceControl'));
const Security = lazy(() => import('./security'));

const SECTIONS: Record<string, { label: string; content: ComponentType }> = {
  account: { label: t('Account'), content: Account },
  security: { label: t('Security'), content: Security },
  users: { label: t('Users'), content: Users },
  projects: { label: t('Projects'), content: Projects },
  'api-keys': { label: t('API keys'), content: ApiKeys },
  'mcp-clients': { label: t('MCP clients'), content: McpClients },
  'virtual-keys': { label: t('Virtual keys'), content: VirtualKeys },
  credentials: { label: t('Credentials'), content: Credentials },
  variables: { label: t('Variables'), content: Variables },
  audit: { label: t('Audit log'), content: AuditLog },
  'log-streams': { label: t('Log streaming'), content: LogStreams },
  'source-control': { label: t('Source control'), content: SourceControl },
};

/** Of the settings that plugins bring. */
const brought = (extension: string, page: string) => `${extension}.${page}`;

export default function Settings() {
  const navigate = useNavigate();
  const { section = 'account' } = useParams();
  const more = (useExtensions().data ?? []).flatMap(({ name, pages }) =>
    pages.filter(({ group }) => group === 'Settings').map((page) => ({ ...page, extension: name })),
  );
  const isBrought = more.some(({ extension, name }) => brought(extension, name) === section);
  const shown = isBrought || Object.hasOwn(SECTIONS, section) ? section : 'account';
  const go = (next: string | null) =>
    void navigate(next === 'account' ? areaPath('settings') : `${areaPath('settings')}/${next}`, { replace: true });
  return (
    <Page title={t('Settings')} subtitle={t('Users, keys and credentials, and values that workflows share.')}>
      <Tabs value={shown} onChange={go} keepMounted={false}>
        <Tabs.List mb="lg" aria-label={t('Settings')} className={classes.tabs ?? ''}>
          {Object.entries(SECTIONS).map(([id, { label }]) => (
            <Tabs.Tab key={id} value={id}>
              {label}
            </Tabs.Tab>
          ))}
          {more.map(({ extension, name, label }) => (
            <Tabs.Tab key={brought(extension, name)} value={brought(extension, name)}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {Object.entries(SECTIONS).map(([id, { content: Content }]) => (
          <Tabs.Panel key={id} value={id}>
            <Suspense fallback={<Loader role="status" aria-label={t('Loading')} />}>
              <Content />
            </Suspense>
          </Tabs.Panel>
        ))}
        {more.map(({ extension, name }) => (
          <Tabs.Panel key={brought(extension, name)} value={brought(extension, name)}>
            <Drawn extension={extension} page={name} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}
