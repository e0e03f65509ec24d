import { Button } from '@mantine/core';
import { IconMapOff } from '@tabler/icons-react';
import { Link, useLocation } from 'react-router';
import { EmptyState } from '../components/EmptyState';
import { Page } from '../components/Page';
import { PageFrame } from './PageFrame';

export function NotFound() {
  const { pathname } = useLocation();
  return (
    <PageFrame full={false}>
      <Page title="Page not found">
        <EmptyState
          icon={IconMapOff}
          title="There is nothing here"
          action={
            <Button component={Link} to="/">
              Go to the dashboard
            </Button>
          }
        >
          No page has the address <span className="jf-mono">{pathname}</span>.
        </EmptyState>
      </Page>
    </PageFrame>
  );
}
