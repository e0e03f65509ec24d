import { SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { type ApprovalState, useApprovals } from '../../app/approvals';
import { EmptyState } from '../../components/EmptyState';
import { Failure } from '../../components/Failure';
import { Page } from '../../components/Page';
import { IconCheckbox } from '../../icons/drawn';
import { t } from '../../language/messages';
import { ApprovalCard } from './ApprovalCard';
import classes from './approvals.module.css';

const STATES = [
  { value: 'open', label: t('Open') },
  { value: 'all', label: t('All') },
];

export default function Approvals() {
  const [state, setState] = useState<ApprovalState>('open');
  const list = useApprovals(state);
  const rows = list.data?.data ?? [];
  return (
    <Page
      title={t('Approvals')}
      subtitle={t('Executions and agents wait here for your answer.')}
      actions={
        <SegmentedControl
          aria-label={t('Approvals shown')}
          data={STATES}
          value={state}
          onChange={(chosen) => setState(chosen as ApprovalState)}
        />
      }
    >
      {list.error && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {list.data && rows.length === 0 && (
        <EmptyState icon={IconCheckbox} title={t('Nothing waits for you')}>
          {t('Questions of workflows and permissions that agents ask for appear here.')}
        </EmptyState>
      )}
      {list.data && !list.data.complete && (
        <Text size="sm" mb="sm">
          {t('Some executions or hosts are missing: there are too many, or a host does not answer.')}
        </Text>
      )}
      <ul className={classes.list} aria-label={t('Approvals')}>
        {rows.map((approval) => (
          <li key={approval.id}>
            <ApprovalCard approval={approval} />
          </li>
        ))}
      </ul>
      {list.data && list.data.total > rows.length && (
        <Stack mt="md">
          <Text size="sm" c="dimmed">
            {t('{total} older ones are not shown.', { total: list.data.total - rows.length })}
          </Text>
        </Stack>
      )}
    </Page>
  );
}
