import { Button, Skeleton, Tabs } from '@mantine/core';
import { useState } from 'react';
import { Link, useNavigate, useParams, useSearchParams } from 'react-router';
import { areaPath } from '../../app/areas';
import { hasArea } from '../../app/pages';
import { Failure } from '../../components/Failure';
import { Page } from '../../components/Page';
import { useBelonging } from '../../components/projects/rights';
import { useGuard } from '../../components/unsaved';
import { IconTerminal2 } from '../../icons/drawn';
import { t } from '../../language/messages';
import { DeleteDialog } from './DeleteDialog';
import { Environment } from './Environment';
import { Hooks } from './Hooks';
import { terminalOf } from './index';
import { useAgent, useProfile } from './queries';
import { Run } from './Run';
import { Settings } from './Settings';
import { Tools } from './Tools';

const TABS = ['settings', 'environment', 'hooks', 'tools', 'run'];

/** One profile: what it is made of, and a prompt for it. */
export default function Profile() {
  const { alias = '' } = useParams();
  const profile = useProfile(alias);
  const agent = useAgent(profile.data?.agent_id);
  const navigate = useNavigate();
  const belonging = useBelonging('profile', [alias]);
  const writes = belonging.may(alias, 'write');
  const [search, setSearch] = useSearchParams();
  const [deleting, setDeleting] = useState(false);
  useGuard();
  const asked = search.get('tab') ?? '';
  const tab = TABS.includes(asked) ? asked : 'settings';
  const { data } = profile;
  return (
    <Page
      title={alias}
      subtitle={data ? `${data.agent_id}, ${data.provider_id}, ${data.model}` : ' '}
      crumbs={[{ label: t('Profiles'), to: areaPath('profiles') }]}
      actions={
        writes &&
        data && (
          <>
            <Button variant="default" onClick={() => setDeleting(true)}>
              {t('Delete…')}
            </Button>
            {hasArea('terminals') && (
              <Button component={Link} to={terminalOf(alias)} leftSection={<IconTerminal2 size={16} />}>
                {t('Open a terminal')}
              </Button>
            )}
          </>
        )
      }
    >
      {profile.error && !data ? (
        <Failure error={profile.error} onRetry={() => void profile.refetch()} />
      ) : !data ? (
        <Skeleton height={320} />
      ) : (
        <Tabs
          value={tab}
          onChange={(next) => setSearch(next && next !== 'settings' ? { tab: next } : {}, { replace: true })}
          key={alias}
        >
          <Tabs.List mb="md">
            <Tabs.Tab value="settings">{t('Settings')}</Tabs.Tab>
            <Tabs.Tab value="environment">{t('Environment')}</Tabs.Tab>
            <Tabs.Tab value="hooks">{t('Hooks')}</Tabs.Tab>
            <Tabs.Tab value="tools">{t('Tools')}</Tabs.Tab>
            {writes && <Tabs.Tab value="run">{t('Run')}</Tabs.Tab>}
          </Tabs.List>
          <Tabs.Panel value="settings">
            <Settings profile={data} agent={agent.data} />
          </Tabs.Panel>
          <Tabs.Panel value="environment">
            <Environment profile={data} />
          </Tabs.Panel>
          <Tabs.Panel value="hooks">
            <Hooks profile={data} supported={agent.data?.supports_hooks} />
          </Tabs.Panel>
          <Tabs.Panel value="tools">
            <Tools profile={data} shown={tab === 'tools'} />
          </Tabs.Panel>
          {writes && (
            <Tabs.Panel value="run">
              <Run profile={data} headless={agent.data?.headless} />
            </Tabs.Panel>
          )}
        </Tabs>
      )}
      {deleting && (
        <DeleteDialog
          alias={alias}
          home={data?.profile_home}
          onClose={() => setDeleting(false)}
          onDeleted={() => void navigate(areaPath('profiles'))}
        />
      )}
    </Page>
  );
}
