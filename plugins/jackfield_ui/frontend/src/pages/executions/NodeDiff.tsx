import { Group, NativeSelect, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { Item } from '../../api/types';
import { Failure } from '../../components/Failure';
import { count } from '../../components/format';
import { readItems } from '../../components/useMoreItems';
import { t } from '../../language/messages';
import { itemsText, type Row } from './compare';
import classes from './compare.module.css';
import type { Run } from './model';

const Diff = lazy(() => import('../../components/code/Diff'));

/** Items of each output that are compared. */
const MOST = 200;

/** One node in two executions, as a difference of the items that it gave. */
export function NodeDiff({ left, right, row }: { left: string; right: string; row: Row }) {
  const runs = Math.max(row.left?.runs.length ?? 0, row.right?.runs.length ?? 0);
  const [number, setNumber] = useState(0);
  const [output, setOutput] = useState(() => Math.max(0, firstOutput(row)));
  const outputs = Math.max(1, row.left?.counts.length ?? 0, row.right?.counts.length ?? 0);
  const first = row.left?.runs[number];
  const second = row.right?.runs[number];
  return (
    <div className={classes.diff}>
      {(runs > 1 || outputs > 1) && (
        <Group gap="sm" mb="sm">
          {runs > 1 && <Choice label={t('Run')} many={runs} value={number} onChange={setNumber} />}
          {outputs > 1 && <Choice label={t('Output')} many={outputs} value={output} onChange={setOutput} />}
        </Group>
      )}
      {[first?.error, second?.error].map(
        (error, at) =>
          error && (
            <Text key={at} size="sm" c="var(--jf-bad)" style={{ overflowWrap: 'anywhere' }}>
              {at === 0 ? t('First') : t('Second')}: {error.message}
            </Text>
          ),
      )}
      <Texts
        node={row.node}
        sides={[
          { id: left, run: first },
          { id: right, run: second },
        ]}
        output={output}
      />
    </div>
  );
}

function firstOutput({ left, right }: Row): number {
  return (left ?? right)?.counts.findIndex((some) => some > 0) ?? 0;
}

function Choice({
  label,
  many,
  value,
  onChange,
}: {
  label: string;
  many: number;
  value: number;
  onChange: (value: number) => void;
}) {
  return (
    <NativeSelect
      size="xs"
      aria-label={label}
      value={String(value)}
      onChange={({ currentTarget }) => onChange(Number(currentTarget.value))}
      data={Array.from({ length: many }, (_, index) => ({
        value: String(index),
        label: label === t('Run') ? t('Run {index}', { index: index + 1 }) : t('Output {index}', { index }),
      }))}
    />
  );
}

interface Given {
  id: string;
  run: Run | undefined;
}

function Texts({ node, sides, output }: { node: string; sides: readonly [Given, Given]; output: number }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['compared-items', ...sides.map(({ id, run }) => [id, run?.index]), output],
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: undefined,
    queryFn: () => Promise.all(sides.map((side) => itemsOf(side, output))),
  });
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  const [before, after] = (data ?? []).map(itemsText);
  if (before === undefined || after === undefined) return <Skeleton height={80} />;
  const totals = sides.map(({ run }) => run?.counts[output] ?? 0);
  const most = Math.max(...totals);
  return (
    <>
      {before === after ? (
        <Text size="sm" c="dimmed">
          {most ? t('The items are the same.') : t('Neither execution has items here.')}
        </Text>
      ) : (
        <Suspense fallback={<Skeleton height={80} />}>
          <Diff label={t('Items of {node}, difference', { node })} before={before} after={after} />
        </Suspense>
      )}
      {most > MOST && (
        <Text size="sm" c="dimmed" mt="xs">
          {t('The first {compared} of {all} items are compared.', { compared: MOST, all: count(most) })}
        </Text>
      )}
    </>
  );
}

async function itemsOf({ id, run }: Given, output: number): Promise<readonly Item[]> {
  const known = run?.outputs?.[output] ?? [];
  const total = run?.counts[output] ?? 0;
  if (!run || known.length >= Math.min(total, MOST)) return known;
  return (await readItems({ execution: id, run: run.index, output }, 0, MOST)).data;
}
