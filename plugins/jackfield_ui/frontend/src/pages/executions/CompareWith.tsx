import { Anchor, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { api, body } from '../../api/client';
import { Failure } from '../../components/Failure';
import { moment } from '../../components/format';
import { Modal } from '../../components/Modal';
import { StatusBadge } from '../../components/StatusBadge';
import { Duration } from '../../components/values';
import { IconArrowsDiff } from '../../icons/drawn';
import { t } from '../../language/messages';
import classes from './executions.module.css';
import { comparePath, type Execution, isOpen, MODES } from './queries';

const SHOWN = 50;

/** Chooses another execution of the workflow; the older one is the first. */
export function CompareWith({ execution }: { execution: Execution }) {
  const [asking, setAsking] = useState(false);
  if (execution.workflowId === null || isOpen(execution)) return null;
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconArrowsDiff size={16} aria-hidden="true" />}
        onClick={() => setAsking(true)}
      >
        {t('Compare with')}
      </Button>
      {asking && (
        <Modal opened onClose={() => setAsking(false)} title={t('Compare with')} size="lg">
          <Others execution={execution} />
        </Modal>
      )}
    </>
  );
}

function Others({ execution: { id, workflowId, startedAt } }: { execution: Execution }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['executions', 'others', workflowId],
    queryFn: ({ signal }) => {
      const query = { workflowId, limit: SHOWN, offset: 0 };
      return body(api.GET('/api/v1/executions', { params: { query }, signal }));
    },
  });
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  const others = data?.data.filter((row) => row.id !== id);
  if (!others) return null;
  if (!others.length) return <Text c="dimmed">{t('The workflow has no other execution.')}</Text>;
  return (
    <ul className={classes.others} aria-label={t('Executions')}>
      {others.map((row) => (
        <li key={row.id}>
          <Anchor component={Link} to={row.startedAt < startedAt ? comparePath(row.id, id) : comparePath(id, row.id)}>
            {moment(new Date(row.startedAt))}
          </Anchor>
          <StatusBadge status={row.status} />
          <Text size="sm" c="dimmed">
            {MODES[row.mode] ?? row.mode}, <Duration from={row.startedAt} to={row.finishedAt ?? null} />
          </Text>
        </li>
      ))}
    </ul>
  );
}
