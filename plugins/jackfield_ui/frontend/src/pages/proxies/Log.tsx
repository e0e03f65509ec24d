import { Group, Select, Skeleton, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { CopyIcon } from '../../components/Copyable';
import { Failure } from '../../components/Failure';
import { t } from '../../language/messages';
import classes from './proxies.module.css';
import { useLog } from './queries';

const SIZES = [100, 500, 2_000];
const NEAR = 40;

/** The end of the proxy's log; it stays at the end unless somebody has scrolled away. */
export function Log({ alias }: { alias: string }) {
  const [size, setSize] = useState(100);
  const log = useLog(alias, size);
  const box = useRef<HTMLPreElement>(null);
  const follows = useRef(true);
  const text = log.data?.lines.join('\n');

  useEffect(() => {
    const element = box.current;
    if (element && follows.current && text !== undefined) element.scrollTop = element.scrollHeight;
  }, [text]);

  if (log.error && !log.data) return <Failure error={log.error} onRetry={() => void log.refetch()} />;
  if (text === undefined) return <Skeleton height={320} />;
  if (text === '') return <Text c="dimmed">{t('The log is empty: the proxy has not been started yet.')}</Text>;
  return (
    <>
      <Group justify="space-between" mb="sm">
        <Select
          aria-label={t('Lines shown')}
          w={160}
          size="xs"
          allowDeselect={false}
          data={SIZES.map((lines) => ({ value: String(lines), label: t('Last {lines} lines', { lines }) }))}
          value={String(size)}
          onChange={(value) => setSize(Number(value) || 100)}
        />
        <CopyIcon text={text} label={t('the log')} />
      </Group>
      <pre
        ref={box}
        className={classes.log}
        tabIndex={0}
        role="log"
        aria-label={t('Log of the proxy of {alias}', { alias })}
        onScroll={({ currentTarget: at }) => {
          follows.current = at.scrollHeight - at.scrollTop - at.clientHeight < NEAR;
        }}
      >
        {text}
      </pre>
    </>
  );
}
