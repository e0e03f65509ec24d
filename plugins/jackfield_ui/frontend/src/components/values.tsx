import { Tooltip } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { t } from '../language/messages';
import { bytes, compact, count, duration, moment, money, relative } from './format';

const TICK = 10_000;
const NOWRAP = 'jf-nowrap';
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const watchers = new Set<() => void>();

/** One clock for however many times are on the page. */
function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const one of [...watchers]) one();
  }, TICK);
  return () => {
    watchers.delete(watcher);
    if (watchers.size) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function present(): number {
  // While nobody watched, the clock stood still.
  if (watchers.size === 0) now = Date.now();
  return now;
}

/** The present, renewed every ten seconds. */
export function useNow(): number {
  return useSyncExternalStore(watch, present);
}

type Time = string | null | undefined;

/** "3 min. ago", with the exact time on hover and for machines. */
export function RelativeTime({ time, never = t('never') }: { time: Time; never?: string }) {
  const current = useNow();
  if (!time) return <span>{never}</span>;
  const at = new Date(time);
  return (
    <Tooltip label={moment(at)}>
      <time dateTime={time} className={NOWRAP}>
        {relative(at, Math.max(current, Date.now() - TICK))}
      </time>
    </Tooltip>
  );
}

/** A span in milliseconds, or from one time to another; without an end it is still running. */
export function Duration({ ms, from, to }: { ms?: number | null; from?: Time; to?: Time }) {
  const current = useNow();
  if (ms !== undefined && ms !== null) return <span className={NOWRAP}>{duration(ms)}</span>;
  if (!from) return <span>–</span>;
  const end = to ? Date.parse(to) : Math.max(current, Date.now() - TICK);
  return <span className={NOWRAP}>{duration(Math.max(0, end - Date.parse(from)))}</span>;
}

export function Bytes({ value }: { value: number }) {
  return <span title={t('{value} bytes', { value: count(value) })}>{bytes(value)}</span>;
}

/** US dollars. */
export function Money({ value }: { value: number }) {
  return <span className={NOWRAP}>{money(value)}</span>;
}

/** A number; `short` writes 12.3M and keeps the whole on hover. */
export function Count({ value, short }: { value: number; short?: boolean }) {
  return (
    <span className={NOWRAP} title={short ? count(value) : undefined}>
      {short ? compact(value) : count(value)}
    </span>
  );
}
