import { Group, Select, TextInput } from '@mantine/core';
import type { paths } from '../../../api/schema';
import { IconSearch } from '../../../icons/drawn';
import { t } from '../../../language/messages';
import { useTags } from '../queries';

type Query = NonNullable<paths['/api/v1/workflows']['get']['parameters']['query']>;
export type Order = NonNullable<Query['order']>;

export interface Wanted {
  text: string;
  state: string;
  tag: string;
  order: Order;
}

const STATES = [
  { value: '', label: t('All workflows') },
  { value: 'true', label: t('Active only') },
  { value: 'false', label: t('Inactive only') },
];
const ORDERS: { value: Order; label: string }[] = [
  { value: '-updatedAt', label: t('Last changed') },
  { value: 'name', label: t('Name, A to Z') },
  { value: '-name', label: t('Name, Z to A') },
  { value: '-createdAt', label: t('Newest') },
  { value: 'createdAt', label: t('Oldest') },
  { value: '-nodeCount', label: t('Most nodes') },
];

/** Which workflows are listed, and in which order. */
export function Filters({ wanted, onChange }: { wanted: Wanted; onChange: (change: Partial<Wanted>) => void }) {
  const { data: tags = [] } = useTags();
  return (
    <Group mb="md" gap="sm">
      <TextInput
        aria-label={t('Search workflows')}
        placeholder={t('Search names, tags, nodes, notes')}
        leftSection={<IconSearch size={16} aria-hidden="true" />}
        value={wanted.text}
        maxLength={200}
        onChange={(event) => onChange({ text: event.currentTarget.value })}
        w={{ base: '100%', xs: 290 }}
      />
      <Select
        aria-label={t('Workflows shown')}
        data={STATES}
        value={wanted.state}
        onChange={(next) => onChange({ state: next ?? '' })}
        allowDeselect={false}
        w={150}
      />
      {tags.length > 0 && (
        <Select
          aria-label={t('Show workflows with a tag')}
          placeholder={t('All tags')}
          data={tags.map(({ name }) => name)}
          value={wanted.tag || null}
          onChange={(next) => onChange({ tag: next ?? '' })}
          searchable
          clearable
          w={160}
        />
      )}
      <Select
        aria-label={t('Sort by')}
        data={ORDERS}
        value={wanted.order}
        onChange={(next) => onChange({ order: ORDERS.find(({ value }) => value === next)?.value ?? '-updatedAt' })}
        allowDeselect={false}
        w={150}
      />
    </Group>
  );
}
