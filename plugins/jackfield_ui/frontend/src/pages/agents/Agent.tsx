import { Button, List, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { Link, useParams } from 'react-router';
import { segment } from '../../api/client';
import { areaPath } from '../../app/areas';
import { hasArea } from '../../app/pages';
import { useMay } from '../../app/session';
import classes from '../../components/blocks.module.css';
import { Copyable } from '../../components/Copyable';
import { Failure } from '../../components/Failure';
import { Page } from '../../components/Page';
import { StatusBadge } from '../../components/StatusBadge';
import { t } from '../../language/messages';
import { NotInstalled } from './NotInstalled';
import { useAgent } from './queries';

/** One agent: where it is, what it can do, and its models. */
export default function Agent() {
  const { id = '' } = useParams();
  const agent = useAgent(id);
  const writes = useMay('member');
  const { data } = agent;
  return (
    <Page
      title={data?.name ?? id}
      badge={data && <StatusBadge status={data.installed ? 'installed' : 'missing'} />}
      crumbs={[{ label: t('Agents'), to: areaPath('agents') }]}
      actions={
        data &&
        writes &&
        hasArea('profiles') && (
          <Button component={Link} to={`${areaPath('profiles')}?new&agent=${segment(id)}`}>
            {t('New profile with it')}
          </Button>
        )
      }
    >
      {agent.error && !data ? (
        <Failure error={agent.error} onRetry={() => void agent.refetch()} />
      ) : !data ? (
        <Skeleton height={240} />
      ) : (
        <Stack gap="lg" maw={720}>
          {!data.installed && <NotInstalled agent={data} />}
          <dl className={classes.facts}>
            <dt>{t('Version')}</dt>
            <dd>{data.version ?? '–'}</dd>
            <dt>{t('Program')}</dt>
            <dd>
              {data.binary_path ? (
                <Copyable text={data.binary_path} label={t('the path')} />
              ) : (
                <span className="jf-mono">{data.binary}</span>
              )}
            </dd>
            <dt>{t('Speaks')}</dt>
            <dd>{data.dialect ?? t('any dialect')}</dd>
            <dt>{t('Hooks')}</dt>
            <dd>{data.supports_hooks ? t('yes') : t('no')}</dd>
            <dt>{t('Without a terminal')}</dt>
            <dd>{data.headless ? t('yes') : t('no')}</dd>
          </dl>
          <section>
            <Title order={2} mb="sm">
              {t('Models')}
            </Title>
            {data.supported_models.length ? (
              <Paper p="md">
                <List size="sm">
                  {data.supported_models.map((model) => (
                    <List.Item key={model}>
                      <span className="jf-mono">{model}</span>
                      {model === data.default_model && (
                        <Text span size="xs" c="dimmed">
                          {' '}
                          {t('default')}
                        </Text>
                      )}
                    </List.Item>
                  ))}
                </List>
              </Paper>
            ) : (
              <Text c="dimmed">{t('All that its provider serves.')}</Text>
            )}
          </section>
        </Stack>
      )}
    </Page>
  );
}
