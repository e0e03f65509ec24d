import { Alert, Button, Group, Select, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useSearchParams } from 'react-router';
import { api, data } from '../../api/client';
import { oneOf, useCursor } from '../../api/paging';
import { useMay } from '../../app/session';
import { useShortcuts } from '../../app/shortcuts';
import { EmptyState } from '../../components/EmptyState';
import { Failure } from '../../components/Failure';
import { count } from '../../components/format';
import { Page } from '../../components/Page';
import { StatusBadge } from '../../components/StatusBadge';
import { IconListDetails, IconPlayerPause, IconPlayerPlay, IconSearch, IconShieldLock } from '../../icons/drawn';
import { t } from '../../language/messages';
import { LEVEL_WORDS, type Line, merged, newer } from './buffer';
import { LogLine } from './LogLine';
import classes from './logs.module.css';
import { useTail } from './useTail';

const LEVELS = [
  { value: 'debug', label: t('All levels') },
  { value: 'info', label: t('Info and above') },
  { value: 'warning', label: t('Warnings and above') },
  { value: 'error', label: t('Errors only') },
];
const LIMIT = 100;
const KEY = ['logs'];

export default function Logs() {
  const may = useMay('admin');
  return (
    <Page title={t('Logs')} subtitle={t('Messages of the daemon, live.')}>
      {may ? (
        <Log />
      ) : (
        <EmptyState icon={IconShieldLock} title={t('Only administrators see the log')}>
          {t('It shows everybody’s requests. Ask an administrator to look, or to change your role.')}
        </EmptyState>
      )}
    </Page>
  );
}

function Log() {
  const client = useQueryClient();
  const [params, setParams] = useSearchParams();
  const level = params.get('level') ?? 'info';
  const [text, setText] = useState(params.get('search') ?? '');
  const [search] = useDebouncedValue(text.trim(), 250);
  // The lines that were there when it was paused; nothing moves below the reader's eyes.
  const [paused, setPaused] = useState<readonly Line[]>();
  const history = useCursor([...KEY, level, search], async (before, signal) => {
    const query = { level: oneOf(LEVEL_WORDS, level), search, limit: LIMIT, before };
    const page = await data(api.GET('/api/logs', { params: { query }, signal }));
    return { rows: page.lines, next: page.next };
  });
  const readAgain = useCallback(() => void client.invalidateQueries({ queryKey: KEY }), [client]);
  const tail = useTail(level, search, readAgain);
  const tailShown = paused ?? tail.lines;
  const lines = useMemo(() => merged(tailShown, history.rows ?? []), [tailShown, history.rows]);
  const fresh = paused ? newer(tail.lines, paused) : 0;
  const toggle = () => setPaused(paused ? undefined : tail.lines);
  const find = (change: Record<string, string>) => {
    setPaused(undefined);
    const next = { level, search: text.trim(), ...change };
    setParams(
      Object.fromEntries(
        Object.entries(next).filter(([name, value]) => value && !(name === 'level' && value === 'info')),
      ),
      {
        replace: true,
      },
    );
  };
  useShortcuts([{ keys: 'P', label: paused ? t('Continue') : t('Pause'), run: toggle }]);
  useFresh(client);

  return (
    <>
      <Group gap="sm" mb="md">
        <Select
          aria-label={t('Level')}
          data={LEVELS}
          value={level}
          allowDeselect={false}
          onChange={(next) => find({ level: next ?? 'info' })}
          w={180}
        />
        <TextInput
          aria-label={t('Search in the lines')}
          placeholder={t('Search in the lines')}
          maxLength={200}
          leftSection={<IconSearch size={16} aria-hidden="true" />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onBlur={() => find({})}
          w={{ base: '100%', xs: 280 }}
        />
        <Button
          variant="default"
          leftSection={
            paused ? <IconPlayerPlay size={16} aria-hidden="true" /> : <IconPlayerPause size={16} aria-hidden="true" />
          }
          onClick={toggle}
        >
          {paused ? (fresh ? t('Continue ({fresh} new)', { fresh: count(fresh) }) : t('Continue')) : t('Pause')}
        </Button>
        <Following paused={paused !== undefined} state={tail.state} />
      </Group>
      {tail.missed > 0 && (
        <Alert color="yellow" mb="md" role="status">
          {t('{missed} lines came too fast, so the daemon left them out.', { missed: count(tail.missed) })}{' '}
          <Button variant="subtle" size="compact-sm" onClick={readAgain}>
            {t('Read them')}
          </Button>
        </Alert>
      )}
      {history.error && !history.rows ? (
        <Failure error={history.error} onRetry={() => void history.refetch()} />
      ) : !history.rows ? (
        <Stack gap="sm" aria-busy="true">
          {[70, 55, 80, 60, 75, 50].map((width) => (
            <Skeleton key={width} height={16} width={`${width}%`} />
          ))}
        </Stack>
      ) : lines.length === 0 ? (
        <EmptyState
          icon={IconListDetails}
          title={history.more.has ? t('Nothing among the latest lines') : t('No line matches')}
        >
          {search || level !== 'debug'
            ? t('Search for something else, or show all levels. New lines show here as they come.')
            : t('New lines show here as they come.')}
        </EmptyState>
      ) : (
        <ol className={classes.list} aria-label={t('Log lines')}>
          {lines.map((line) => (
            <LogLine key={line.cursor} line={line} />
          ))}
        </ol>
      )}
      {history.more.has && (
        <Group justify="center" mt="md">
          <Button variant="default" loading={history.more.loading} onClick={history.more.onMore}>
            {t('Show older lines')}
          </Button>
        </Group>
      )}
    </>
  );
}

/** What was read long ago is read anew from its newest page on: pages in between would be asked for one by one. */
function useFresh(client: ReturnType<typeof useQueryClient>): void {
  useEffect(() => () => client.removeQueries({ queryKey: KEY }), [client]);
}

function Following({ paused, state }: { paused: boolean; state: 'starting' | 'live' | 'broken' }) {
  if (paused) return <StatusBadge status="paused" tone="still" />;
  if (state === 'live') return <StatusBadge status="live" tone="good" />;
  if (state === 'broken') return <StatusBadge status="interrupted" tone="warn" />;
  return (
    <Text size="sm" c="dimmed">
      …
    </Text>
  );
}
