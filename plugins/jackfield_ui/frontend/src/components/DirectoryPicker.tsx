import { Alert, Button, Checkbox, Group, Paper, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useRef, useState } from 'react';
import { api, data } from '../api/client';
import { messageOf } from '../api/errors';
import { IconArrowUp, IconFolder } from '../icons/drawn';
import { t } from '../language/messages';
import classes from './DirectoryInput.module.css';

/** A dialog around this one stays open when Escape closes this one. */
const OWN_ESCAPE = { 'data-mantine-stop-propagation': 'true' };

/** Directories of the daemon's machine. The arrow keys move, Enter goes into one, Backspace goes up. */
export function DirectoryPicker({
  start,
  onChoose,
  onClose,
}: {
  start: string;
  onChoose: (path: string) => void;
  onClose: () => void;
}) {
  const [wanted, go] = useState(start || undefined);
  const [filter, setFilter] = useState('');
  const [hidden, setHidden] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const listing = useListing(wanted);
  const found = listing.data;
  const shown = (found?.entries ?? []).filter(
    (one) => (hidden || !one.hidden) && one.name.toLowerCase().includes(filter.toLowerCase()),
  );
  const enter = (path: string | null | undefined) => {
    if (!path) return;
    setFilter('');
    go(path);
    box.current?.querySelector('input')?.focus();
  };
  const keys = (event: KeyboardEvent<HTMLElement>) => {
    const places = [...(box.current?.querySelectorAll<HTMLElement>('input:not([type=checkbox]), li button') ?? [])];
    const at = places.indexOf(event.target as HTMLElement);
    const isInput = at === 0;
    if (event.key === 'ArrowDown') places[Math.min(at + 1, places.length - 1)]?.focus();
    else if (event.key === 'ArrowUp') places[Math.max(at - 1, 0)]?.focus();
    else if (event.key === 'Backspace' && !(isInput && filter)) enter(found?.parent);
    else if (event.key === 'Enter' && isInput) enter(shown[0]?.path);
    else if (event.key === 'Escape') onClose();
    else return;
    event.preventDefault();
  };
  return (
    <Paper withBorder p="sm" mt="xs" role="group" aria-label={t('Browse')} ref={box}>
      <Stack gap="xs" onKeyDown={keys}>
        <Group gap="sm" wrap="nowrap" justify="space-between">
          <Text size="sm" className="jf-mono" style={{ overflowWrap: 'anywhere' }} aria-live="polite">
            {found?.path ?? wanted}
          </Text>
          <Button
            {...OWN_ESCAPE}
            size="compact-sm"
            variant="default"
            leftSection={<IconArrowUp size={14} />}
            disabled={!found?.parent}
            onClick={() => enter(found?.parent)}
          >
            {t('Up')}
          </Button>
        </Group>
        <TextInput
          {...OWN_ESCAPE}
          size="xs"
          aria-label={t('Filter directories')}
          placeholder={t('Filter')}
          autoComplete="off"
          autoFocus
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
        />
        {listing.error ? (
          <Alert color="red" role="alert" title={t('It cannot be listed')}>
            {messageOf(listing.error)}
            <Button {...OWN_ESCAPE} size="compact-sm" variant="default" mt="xs" onClick={() => go(undefined)}>
              {t('Begin at the top')}
            </Button>
          </Alert>
        ) : (
          <ul className={classes.list} aria-label={t('Directories')}>
            {shown.map((one) => (
              <li key={one.path}>
                <UnstyledButton {...OWN_ESCAPE} className={classes.entry} onClick={() => enter(one.path)}>
                  <IconFolder size={16} aria-hidden />
                  {one.name}
                </UnstyledButton>
              </li>
            ))}
          </ul>
        )}
        {found && shown.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('No directory.')}
          </Text>
        )}
        {found?.truncated && (
          <Text size="sm" c="dimmed">
            {t('The list is not complete; type the path.')}
          </Text>
        )}
        <Group gap="sm" justify="space-between">
          <Checkbox
            {...OWN_ESCAPE}
            size="xs"
            label={t('Hidden ones')}
            checked={hidden}
            onChange={(event) => setHidden(event.currentTarget.checked)}
          />
          <Button {...OWN_ESCAPE} size="compact-sm" disabled={!found} onClick={() => found && onChoose(found.path)}>
            {t('Use this directory')}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}

function useListing(path: string | undefined) {
  return useQuery({
    queryKey: ['directories', path],
    queryFn: ({ signal }) => data(api.GET('/api/directories', { params: { query: { path } }, signal })),
    placeholderData: undefined,
  });
}
