import { Group, Select, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { paths } from '../../../api/schema';
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
  { value: '', label: 'All workflows' },
  { value: 'true', label: 'Active only' },
  { value: 'false', label: 'Inactive only' },
];
const ORDERS: { value: Order; label: string }[] = [
  { value: '-updatedAt', label: 'Last changed' },
  { value: 'name', label: 'Name, A to Z' },
  { value: '-name', label: 'Name, Z to A' },
  { value: '-createdAt', label: 'Newest' },
  { value: 'createdAt', label: 'Oldest' },
  { value: '-nodeCount', label: 'Most nodes' },
];

/** Which workflows are listed, and in which order. */
export function Filters({ wanted, onChange }: { wanted: Wanted; onChange: (change: Partial<Wanted>) => void }) {
  const { data: tags = [] } = useTags();
  return (
    <Group mb="md" gap="sm">
      <TextInput
        aria-label="Search workflows"
        placeholder="Search names, tags, nodes, notes"
        leftSection={<IconSearch size={16} aria-hidden="true" />}
        value={wanted.text}
        maxLength={200}
        onChange={(event) => onChange({ text: event.currentTarget.value })}
        w={{ base: '100%', xs: 290 }}
      />
      <Select
        aria-label="Show which workflows"
        data={STATES}
        value={wanted.state}
        onChange={(next) => onChange({ state: next ?? '' })}
        allowDeselect={false}
        w={150}
      />
      {tags.length > 0 && (
        <Select
          aria-label="Show workflows with a tag"
          placeholder="All tags"
          data={tags.map(({ name }) => name)}
          value={wanted.tag || null}
          onChange={(next) => onChange({ tag: next ?? '' })}
          searchable
          clearable
          w={160}
        />
      )}
      <Select
        aria-label="Sort by"
        data={ORDERS}
        value={wanted.order}
        onChange={(next) => onChange({ order: ORDERS.find(({ value }) => value === next)?.value ?? '-updatedAt' })}
        allowDeselect={false}
        w={150}
      />
    </Group>
  );
}
