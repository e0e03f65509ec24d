import { Button, Group, Select } from '@mantine/core';
import { count } from '../../components/format';
import { stateWord } from '../../components/StatusBadge';
import { t } from '../../language/messages';
import classes from './executions.module.css';
import { MODES, STATUSES, type Stats, useWorkflowNames } from './queries';

/** What is looked for; all empty: everything. */
export interface Filter {
  status: string;
  workflow: string;
  mode: string;
  /** A key of SPANS. */
  within: string;
}

const HOUR = 3_600_000;
export const SPANS: Record<string, { label: string; ms: number }> = {
  hour: { label: t('Last hour'), ms: HOUR },
  day: { label: t('Last 24 hours'), ms: 24 * HOUR },
  week: { label: t('Last 7 days'), ms: 7 * 24 * HOUR },
  month: { label: t('Last 30 days'), ms: 30 * 24 * HOUR },
};

const LABELS: Record<string, string> = { success: t('Succeeded') };
const labelOf = (status: string) => LABELS[status] ?? stateWord(status);

export function Filters({
  filter,
  stats,
  onChange,
}: {
  filter: Filter;
  stats: Stats | undefined;
  onChange: (change: Partial<Filter>) => void;
}) {
  const names = useWorkflowNames();
  const workflows = [...(names.data ?? [])].map(([value, label]) => ({ value, label }));
  return (
    <>
      <Group gap="sm" mb="sm">
        <Select
          aria-label={t('Workflow')}
          placeholder={t('All workflows')}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': t('All workflows') }}
          nothingFoundMessage={t('No workflow has this name')}
          limit={100}
          data={workflows}
          value={filter.workflow || null}
          onChange={(workflow) => onChange({ workflow: workflow ?? '' })}
          w={{ base: '100%', xs: 240 }}
        />
        <Select
          aria-label={t('Started by')}
          data={[
            { value: '', label: t('Any trigger') },
            ...Object.entries(MODES).map(([value, label]) => ({ value, label })),
          ]}
          value={filter.mode}
          allowDeselect={false}
          onChange={(mode) => onChange({ mode: mode ?? '' })}
          w={160}
        />
        <Select
          aria-label={t('Time')}
          data={[
            { value: '', label: t('Any time') },
            ...Object.entries(SPANS).map(([value, { label }]) => ({ value, label })),
          ]}
          value={filter.within}
          allowDeselect={false}
          onChange={(within) => onChange({ within: within ?? '' })}
          w={150}
        />
      </Group>
      <div className={classes.statuses} role="group" aria-label={t('Status')}>
        {['', ...STATUSES].map((status) => (
          <Button
            key={status}
            size="compact-sm"
            variant={filter.status === status ? 'light' : 'subtle'}
            color={filter.status === status ? undefined : 'gray'}
            c={filter.status === status ? 'var(--jf-accent-text)' : 'dimmed'}
            aria-pressed={filter.status === status}
            onClick={() => onChange({ status })}
          >
            {status ? labelOf(status) : t('All')}
            {stats && <span className={classes.count}>{count(stats[(status || 'total') as keyof Stats] ?? 0)}</span>}
          </Button>
        ))}
      </div>
    </>
  );
}
