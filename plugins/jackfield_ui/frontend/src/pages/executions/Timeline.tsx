import { Button, Group, Paper, Text, TextInput, Title } from '@mantine/core';
import { useDeferredValue, useMemo, useState } from 'react';
import { count, duration } from '../../components/format';
import { hitsIn } from '../../components/items/values';
import { IconCircleCheck, IconCircleX, IconPlayerPlay, IconSearch } from '../../icons/drawn';
import { t } from '../../language/messages';
import classes from './executions.module.css';
import { type Run, scale } from './model';

const CHUNK = 200;

/** The node runs, one below the other, each with a bar in the time that all of them took. */
export function Timeline({
  runs,
  running,
  selected,
  onSelect,
  wanted,
  onWanted,
}: {
  runs: readonly Run[];
  /** The node that runs now. */
  running: string | undefined;
  selected: Run | undefined;
  onSelect: (run: Run) => void;
  /** What is looked for in the data of all nodes. */
  wanted: string;
  onWanted: (text: string) => void;
}) {
  const text = useDeferredValue(wanted.trim());
  const hits = useMemo(() => new Map(text ? runs.map((run) => [run.index, hitsOf(run, text)]) : []), [runs, text]);
  const [most, setMost] = useState(CHUNK);
  const place = useMemo(() => scale(runs), [runs]);
  const repeated = useMemo(() => new Set(runs.filter(({ run }) => run > 0).map(({ node }) => node)), [runs]);
  return (
    <Paper component="section" aria-label={t('Timeline')}>
      <Group justify="space-between" px={12} pt="sm">
        <Title order={2}>{t('Timeline')}</Title>
        <Text size="sm" c="dimmed" role="status">
          {text
            ? t('{length} of {runs} node runs contain it', {
                length: count([...hits.values()].filter(Boolean).length),
                runs: count(runs.length),
              })
            : t('{runs, plural, one {# node run} other {# node runs}}', { runs: runs.length })}
        </Text>
        <TextInput
          size="xs"
          w="100%"
          aria-label={t('Search the data of all nodes')}
          placeholder={t('Search the data of all nodes')}
          leftSection={<IconSearch size={13} aria-hidden="true" />}
          value={wanted}
          onChange={({ currentTarget: { value } }) => onWanted(value)}
        />
      </Group>
      <ol className={classes.timeline} tabIndex={0} aria-label={t('Node runs')}>
        {runs.slice(0, most).map((run) => {
          const { left, width } = place(run);
          const Sign = run.status === 'failed' ? IconCircleX : IconCircleCheck;
          const items = run.counts.reduce((sum, some) => sum + some, 0);
          return (
            <li key={run.index}>
              <button
                type="button"
                className={classes.run}
                data-without={hits.get(run.index) === 0 || undefined}
                aria-current={run.index === selected?.index}
                onClick={() => onSelect(run)}
              >
                <span className={classes.name}>
                  <Sign
                    size={15}
                    className={run.status === 'failed' ? classes.bad : classes.good}
                    aria-label={run.status === 'failed' ? t('Failed:') : t('Succeeded:')}
                  />
                  <span className="jf-ellipsis" title={run.node}>
                    {run.node}
                  </span>
                  {repeated.has(run.node) && <span className={classes.figure}>{run.run + 1}</span>}
                </span>
                <span className={classes.track} aria-hidden="true">
                  <span
                    className={classes.bar}
                    data-status={run.status}
                    style={{ left: `${left}%`, width: `${width}%` }}
                  />
                </span>
                <span className={classes.figure}>{run.reused ? t('earlier') : duration(run.duration)}</span>
                <span className={classes.figure}>
                  {text
                    ? hitsText(hits.get(run.index) ?? 0)
                    : t('{items, plural, one {# item} other {# items}}', { items })}
                </span>
              </button>
            </li>
          );
        })}
        {running !== undefined && (
          <li className={classes.run}>
            <span className={classes.name}>
              <IconPlayerPlay size={15} className={classes.busy} aria-label={t('Running:')} />
              <span className="jf-ellipsis">{running}</span>
            </span>
          </li>
        )}
        {runs.length > most && (
          <li>
            <Button variant="subtle" fullWidth onClick={() => setMost(most + CHUNK)}>
              {t('{runs} more', { runs: count(runs.length - most) })}
            </Button>
          </li>
        )}
      </ol>
    </Paper>
  );
}

/** In the items that are here. */
function hitsOf({ outputs }: Run, text: string): number {
  return (outputs ?? []).flat().reduce((sum, item) => sum + hitsIn(item, text), 0);
}

function hitsText(hits: number): string {
  return t('{hits, plural, one {1 hit} other {# hits}}', { hits });
}
