import { Anchor, Group, Text, Title } from '@mantine/core';
import { Link } from 'react-router';
import { areaPath } from '../../app/areas';
import { type Column, DataTable } from '../../components/DataTable';
import { Count, Money } from '../../components/values';
import { t } from '../../language/messages';
import type { ModelCost, Period } from './model';
import { useModelCosts } from './queries';

const COLUMNS: Column<ModelCost>[] = [
  {
    key: 'model',
    title: t('Model'),
    primary: true,
    sort: (row) => row.model,
    render: (row) => row.model || t('Model not named'),
  },
  {
    key: 'answers',
    title: t('Answers'),
    align: 'end',
    sort: (row) => row.answers,
    render: (row) => <Count value={row.answers} />,
  },
  { key: 'cost', title: t('Cost'), align: 'end', sort: (row) => row.cost, render: (row) => <Money value={row.cost} /> },
];

/** Of agents and proxies, for who may see usage; nothing where none was used. */
export function Costs({ period }: { period: Period }) {
  const costs = useModelCosts(period);
  if (!costs.data?.length) return null;
  return (
    <section>
      <Group justify="space-between" mb="sm">
        <Title order={2}>{t('Cost of models')}</Title>
        <Anchor component={Link} to={areaPath('usage')} size="sm">
          {t('All usage')}
        </Anchor>
      </Group>
      <DataTable
        label={t('Cost of models')}
        columns={COLUMNS}
        rows={costs.data}
        rowKey={(row) => row.model}
        initialSort={{ key: 'cost', descending: true }}
      />
      <Text size="sm" c="dimmed" mt="xs">
        {t('Of agents and of proxies together, whichever project they worked for.')}
      </Text>
    </section>
  );
}
