import { Button, Group, Select } from '@mantine/core';
import type { Usage } from '../../api/types';
import { inside, t } from '../../language/messages';
import { type Filter, PERIODS } from './model';

/** Period and names; what is chosen stands in the address. */
export function Filters({
  filter,
  names,
  onChange,
}: {
  filter: Filter;
  names: Usage | undefined;
  onChange: (changed: Record<string, string>) => void;
}) {
  const known = names?.aggregates;
  const lists = [
    ['profile', t('Profile'), known?.by_profile],
    ['agent', t('Agent'), known?.by_agent],
    ['provider', t('Provider'), known?.by_provider],
    ['model', t('Model'), known?.by_model],
  ] as const;
  const filtered = lists.some(([name]) => filter[name]);
  return (
    <Group gap="sm" align="flex-end" role="search" aria-label={t('Filters')}>
      <Select
        label={t('Period')}
        w={{ base: '100%', xs: 150 }}
        data={PERIODS.map(({ value, label }) => ({ value, label }))}
        value={filter.period}
        allowDeselect={false}
        onChange={(period) => onChange({ period: period ?? '' })}
      />
      {lists.map(([name, label, options]) => (
        <Select
          key={name}
          label={label}
          placeholder={t('All')}
          w={{ base: 'calc(50% - 4px)', xs: name === 'model' ? 200 : 150 }}
          clearable
          clearButtonProps={{ 'aria-label': t('Any {label}', { label: inside(label) }) }}
          searchable
          nothingFoundMessage={t('None of this name')}
          comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
          data={optionsOf(options, filter[name])}
          value={filter[name] || null}
          onChange={(value) => onChange({ [name]: value ?? '' })}
        />
      ))}
      {filtered && (
        <Button variant="subtle" onClick={() => onChange({ profile: '', agent: '', provider: '', model: '' })}>
          {t('Clear filters')}
        </Button>
      )}
    </Group>
  );
}

/** With the present one, though nothing of it may be left. */
function optionsOf(known: Record<string, unknown> | undefined, present: string): string[] {
  return [...new Set([...Object.keys(known ?? {}), ...(present ? [present] : [])])].filter(Boolean).sort();
}
