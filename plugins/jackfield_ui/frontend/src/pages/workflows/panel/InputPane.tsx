import { ActionIcon, Group, Select, Stack, Text } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import { useMoreItems } from '../../../components/useMoreItems';
import { prefixOf, type Source } from '../model/data';
import type { Item } from '../queries';
import { ItemsView, type View, ViewSwitch } from './ItemsView';

const NONE: readonly Item[] = [];

/** What the node got in the last run, or what other nodes gave. */
export function InputPane({
  sources,
  item,
  onItem,
}: {
  sources: readonly Source[];
  item: number;
  onItem: (item: number) => void;
}) {
  const [view, setView] = useState<View>('schema');
  const [chosen, setChosen] = useState(0);
  const source = sources[chosen] ?? sources[0];
  const given = useMoreItems(source?.place, source?.items ?? NONE, source?.total);
  const count = sources.find(({ input }) => input === 0)?.total ?? 0;
  if (!source) {
    return <Text c="dimmed">Nothing leads to this node, and no other has run.</Text>;
  }
  const options = sources.map(({ name, output, input, total }, index) => ({
    value: String(index),
    label: `${name}${output ? `, output ${output}` : ''}${input ? `, into input ${input + 1}` : ''} (${total})`,
  }));
  return (
    <Stack gap="sm">
      <Select
        aria-label="Data of which node"
        data={options}
        value={String(Math.min(chosen, sources.length - 1))}
        onChange={(next) => setChosen(Number(next))}
        allowDeselect={false}
      />
      <Group justify="space-between" gap="xs">
        <ViewSwitch view={view} onView={setView} label="input" />
        {count > 1 && (
          <Group gap={4}>
            <ActionIcon size="sm" disabled={item === 0} onClick={() => onItem(item - 1)} aria-label="Previous item">
              <IconChevronLeft size={14} />
            </ActionIcon>
            <Text size="xs">
              Item {item + 1} of {count}
            </Text>
            <ActionIcon size="sm" disabled={item >= count - 1} onClick={() => onItem(item + 1)} aria-label="Next item">
              <IconChevronRight size={14} />
            </ActionIcon>
          </Group>
        )}
      </Group>
      {source.total ? (
        <ItemsView given={given} view={view} label="Input" prefix={prefixOf(source)} />
      ) : (
        <Text c="dimmed">No data yet: run the workflow, or pin data to {source.name}.</Text>
      )}
    </Stack>
  );
}
