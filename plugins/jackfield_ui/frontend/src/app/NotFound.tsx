import { Button } from '@mantine/core';
import { Link, useLocation } from 'react-router';
import { EmptyState } from '../components/EmptyState';
import { Page } from '../components/Page';
import { IconMapOff } from '../icons/drawn';
import { rich, t } from '../language/messages';
import { PageFrame } from './PageFrame';

export function NotFound() {
  const { pathname } = useLocation();
  return (
    <PageFrame full={false}>
      <Page title={t('Page not found')}>
        <EmptyState
          icon={IconMapOff}
          title={t('There is nothing here')}
          action={
            <Button component={Link} to="/">
              {t('Go to the dashboard')}
            </Button>
          }
        >
          {rich('No page has the address {pathname}.', { pathname: <span className="jf-mono">{pathname}</span> })}
        </EmptyState>
      </Page>
    </PageFrame>
  );
}
