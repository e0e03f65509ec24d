import { Box, Button, Group, ScrollArea, Skeleton, Table, Text, useComputedColorScheme } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { t } from '../language/messages';
import { type ChartProps, COLOURS } from './chart/types';
import { count, date } from './format';

export type { ChartProps, Series } from './chart/types';

const Plot = lazy(() => import('./chart/Plot'));
const NO_TIMES: readonly number[] = [];
const NO_LABELS: readonly string[] = [];

/** A chart with a legend, and the same figures as a table for who cannot see it or wants the numbers. */
export function Chart({
  label,
  times = NO_TIMES,
  labels = NO_LABELS,
  series,
  kind = 'line',
  format = count,
  height = 220,
}: ChartProps) {
  const [table, setTable] = useState(false);
  const colours = COLOURS[useComputedColorScheme()];
  const names = times.length ? times.map((time) => date(new Date(time))) : labels;
  return (
    <Box component="figure" m={0}>
      <Group justify="space-between" mb="sm" gap="sm">
        <Text component="figcaption" fw={600}>
          {label}
        </Text>
        <Button variant="subtle" size="compact-sm" onClick={() => setTable(!table)} aria-pressed={table}>
          {t('Show as table')}
        </Button>
      </Group>
      {table ? (
        <ScrollArea.Autosize mah={height + 32} viewportProps={{ tabIndex: 0 }}>
          <Table aria-label={label}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>
                  <span className="jf-hidden">{times.length ? t('Day') : t('Name')}</span>
                </Table.Th>
                {series.map(({ name }) => (
                  <Table.Th key={name} ta="end">
                    {name}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {names.map((name, at) => (
                <Table.Tr key={name + at}>
                  <Table.Th scope="row">{name}</Table.Th>
                  {series.map(({ name: column, values }) => (
                    <Table.Td key={column} ta="end">
                      {format(values[at] ?? 0)}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollArea.Autosize>
      ) : (
        <Suspense fallback={<Skeleton height={height} />}>
          <Plot {...{ label, times, labels, series, kind, format, height }} />
        </Suspense>
      )}
      {series.length > 1 && (
        <Group gap="md" mt="xs">
          {series.map(({ name }, index) => (
            <Group key={name} gap={6} wrap="nowrap">
              <Box
                w={10}
                h={10}
                style={{ borderRadius: 2, background: colours[index % colours.length] }}
                aria-hidden="true"
              />
              <Text size="xs">{name}</Text>
            </Group>
          ))}
        </Group>
      )}
    </Box>
  );
}
