import { ActionIcon, Group, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { type FieldUse, Items } from '../../../components/items/Items';
import { accessor } from '../../../components/items/values';
import { useMoreItems } from '../../../components/useMoreItems';
import { IconChevronLeft, IconChevronRight } from '../../../icons/drawn';
import { phrases, t } from '../../../language/messages';
import { drag } from '../form/drag';
import { prefixOf, type Source } from '../model/data';
import type { Item } from '../queries';

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
  const [wanted, setWanted] = useState('');
  const [chosen, setChosen] = useState(0);
  const source = sources[chosen] ?? sources[0];
  const given = useMoreItems(source?.place, source?.items ?? NONE, source?.total);
  const count = sources.find(({ input }) => input === 0)?.total ?? 0;
  if (!source) {
    return <Text c="dimmed">{t('Nothing leads to this node, and no other node has run.')}</Text>;
  }
  const prefix = prefixOf(source);
  const fields: FieldUse = { expression: (path) => `{{ ${prefix}${accessor(path)} }}`, drag };
  const options = sources.map(({ name, output, input, total }, index) => ({
    value: String(index),
    label: `${phrases(name, output > 0 && t('output {output}', { output }), input !== undefined && input > 0 && t('into input {input}', { input: input + 1 }))} (${total})`,
  }));
  return (
    <Stack gap="sm">
      <Select
        aria-label={t('Source node')}
        data={options}
        value={String(Math.min(chosen, sources.length - 1))}
        onChange={(next) => setChosen(Number(next))}
        allowDeselect={false}
      />
      {count > 1 && (
        <Group gap={4} justify="flex-end">
          <ActionIcon size="sm" disabled={item === 0} onClick={() => onItem(item - 1)} aria-label={t('Previous item')}>
            <IconChevronLeft size={14} />
          </ActionIcon>
          <Text size="xs">{t('Item {item} of {count}', { item: item + 1, count })}</Text>
          <ActionIcon
            size="sm"
            disabled={item >= count - 1}
            onClick={() => onItem(item + 1)}
            aria-label={t('Next item')}
          >
            <IconChevronRight size={14} />
          </ActionIcon>
        </Group>
      )}
      {source.total ? (
        <Items
          given={given}
          place={source.place}
          label={t('the input')}
          keep="panel-input"
          first="schema"
          wanted={wanted}
          onWanted={setWanted}
          fields={fields}
        />
      ) : (
        <Text c="dimmed">{t('No data yet: run the workflow, or pin data to {name}.', { name: source.name })}</Text>
      )}
    </Stack>
  );
}
