import { Anchor, Button } from '@mantine/core';
import { Link, useNavigate } from 'react-router';
import { api, body } from '../../api/client';
import { usePaged } from '../../api/paging';
import { areaPath } from '../../app/areas';
import { useMay } from '../../app/session';
import { type Column, DataTable } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { Page } from '../../components/Page';
import { Money, RelativeTime } from '../../components/values';
import { IconChecklist, IconPlus } from '../../icons/drawn';
import { t } from '../../language/messages';
import { type Evaluation, evaluationPath, KEY, useEvaluationEvents } from './queries';
import { RunStatus, Score } from './scores';

export default function Evaluations() {
  const navigate = useNavigate();
  const may = useMay('member');
  const list = usePaged([...KEY, 'list'], (page, signal) =>
    body(api.GET('/api/v1/evaluations', { params: { query: page }, signal })),
  );
  useEvaluationEvents();
  const button = may && (
    <Button
      component={Link}
      to={`${areaPath('evaluations')}/new`}
      leftSection={<IconPlus size={16} aria-hidden="true" />}
    >
      {t('New evaluation')}
    </Button>
  );
  return (
    <Page
      title={t('Evaluations')}
      subtitle={t('Rows of a data table that run through a workflow or an agent, scored and compared.')}
      actions={list.rows?.length !== 0 && button}
    >
      <DataTable
        label={t('Evaluations')}
        columns={COLUMNS}
        rows={list.rows}
        rowKey={({ name }) => name}
        error={list.error}
        onRetry={() => void list.refetch()}
        paging={list.paging}
        onOpen={({ name }) => void navigate(evaluationPath(name))}
        empty={
          <EmptyState icon={IconChecklist} title={t('No evaluations yet')} action={button}>
            {t('An evaluation shows whether a change of a prompt, a model or a workflow makes its answers better.')}
          </EmptyState>
        }
      />
    </Page>
  );
}

const COLUMNS: Column<Evaluation>[] = [
  {
    key: 'name',
    title: t('Name'),
    primary: true,
    render: ({ name }) => (
      <Anchor component={Link} to={evaluationPath(name)} onClick={(event) => event.stopPropagation()}>
        {name}
      </Anchor>
    ),
  },
  {
    key: 'status',
    title: t('Last run'),
    width: 150,
    render: ({ lastRun }) => (lastRun ? <RunStatus run={lastRun} /> : t('never')),
  },
  {
    key: 'score',
    title: t('Score'),
    align: 'end',
    width: 100,
    render: ({ lastRun }) => <Score value={lastRun?.totals.score} />,
  },
  {
    key: 'cost',
    title: t('Cost'),
    align: 'end',
    width: 100,
    render: ({ lastRun }) => (lastRun ? <Money value={lastRun.totals.cost} /> : '–'),
  },
  { key: 'changed', title: t('Changed'), width: 150, render: ({ updatedAt }) => <RelativeTime time={updatedAt} /> },
];
