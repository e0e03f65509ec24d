import { ActionIcon, Button, Group, Text, Tooltip } from '@mantine/core';
import { useCallback, useEffect, useRef, useState } from 'react';
import { segment } from '../../api/client';
import { socketUrl } from '../../api/socket';
import type { TerminalSession } from '../../api/types';
import { session as login, useMay } from '../../app/session';
import { IconSearch, IconUsers, IconX } from '../../icons/drawn';
import { phrases, t } from '../../language/messages';
import { FindBar } from './FindBar';
import { KeyBar } from './KeyBar';
import { WINDOW } from './link';
import { PaneMenu } from './PaneMenu';
import { usePreferences } from './preferences';
import { isThere, ofProfile, sessionName, startedWith, useStart } from './queries';
import { Recording } from './Recording';
import { type Sign, StateBar } from './StateBar';
import classes from './terminals.module.css';
import { useTerminal } from './useTerminal';

const SIZE_RULE = t(
  'The terminal is as large as the smallest window of those who may type. For viewers, its text scales to fit.',
);

export interface PaneActions {
  /** The session that is shown in place of this one. */
  onReplace: (session: string) => void;
  onClose: () => void;
  onFocus: () => void;
  onTitle: (title: string) => void;
  onBell: () => void;
  onSplit?: ((direction: 'row' | 'column') => void) | undefined;
  /** With a session that is chosen first. */
  onSplitWith?: (() => void) | undefined;
}

/** Others who have the session open. */
function Viewers({ count }: { count: number }) {
  if (count < 2) return null;
  return (
    <Tooltip label={t('{count} have this session open, with you.', { count })}>
      <Text size="xs" c="dimmed" className="jf-nowrap" mr={6}>
        <IconUsers size={12} aria-hidden="true" /> {count}
        <span className="jf-hidden"> {t('have this session open')}</span>
      </Text>
    </Tooltip>
  );
}

/** One session: its terminal, and what can be done with it. */
export function TerminalPane({
  id,
  row,
  visible,
  active,
  place,
  onKey,
  actions,
}: {
  id: string;
  row: TerminalSession | undefined;
  visible: boolean;
  active: boolean;
  /** Which pane of several it is, for screen readers: sessions may have one name. */
  place: string;
  /** False for a key that is not the agent's. */
  onKey: (event: KeyboardEvent) => boolean;
  actions: PaneActions;
}) {
  const host = useRef<HTMLElement>(null);
  const writes = useMay('member');
  const [preferences, prefer] = usePreferences();
  const [finding, setFinding] = useState(false);
  const start = useStart();
  // A session that ended with the daemon is in no list any more, and can be started again all the same.
  const last = useRef(row);
  last.current = row ?? last.current;
  const known = last.current ?? startedWith(id);
  const alias = known && sessionName({ profile_alias: known.profile_alias ?? null });

  const recover = useCallback(
    async (code: number) => {
      if (code === 4401 && !(await login.renew())) return 'again' as const;
      return (await isThere(id)) ? ('again' as const) : ('gone' as const);
    },
    [id],
  );
  const keys = (event: KeyboardEvent) => {
    if (event.type === 'keydown' && event.ctrlKey && event.shiftKey && !event.altKey && event.code === 'KeyF') {
      event.preventDefault();
      setFinding(true);
      return false;
    }
    if (event.type === 'keydown' && event.ctrlKey && event.shiftKey && event.code === 'KeyC') {
      event.preventDefault();
      document.execCommand('copy');
      return false;
    }
    return onKey(event);
  };
  const { screen, link, state, title, size } = useTerminal({
    host,
    address: socketUrl(`/ws/terminal/${segment(id)}?sizes=1&window=${WINDOW}${writes ? '' : '&mode=ro'}`),
    readOnly: !writes,
    visible,
    preferences,
    recover,
    onKey: keys,
    onFocus: actions.onFocus,
    onBell: actions.onBell,
  });
  const name = title || alias || id.slice(0, 8);

  const told = useRef(actions.onTitle);
  told.current = actions.onTitle;
  useEffect(() => told.current(name), [name]);
  useEffect(() => {
    if (active && visible && !finding) screen?.terminal.focus();
  }, [screen, active, visible, finding]);
  useEffect(() => {
    screen?.terminal.textarea?.setAttribute('aria-label', t('Terminal: {name}', { name }));
  }, [screen, name]);

  const again = async () => {
    if (!known) return;
    try {
      actions.onReplace(await start.mutateAsync(startedWith(id) ?? { ...ofProfile(known), ...(size ?? {}) }));
    } catch {
      // Shown in the bar.
    }
  };
  const sign: Sign = { state, error: start.error, starting: start.isPending };

  return (
    <section
      className={classes.paneBody}
      aria-label={phrases(t('Session {name}', { name }), place)}
      data-active={active || undefined}
    >
      <Group className={classes.head} gap="xs" wrap="nowrap" justify="space-between">
        <Text size="xs" fw={550} className="jf-ellipsis" miw={0} title={name}>
          {name}
          {title && alias && (
            <Text span size="xs" c="dimmed" fw={400}>
              {' '}
              · {alias}
            </Text>
          )}
        </Text>
        <Group gap={2} wrap="nowrap">
          <Viewers count={row?.client_count ?? 0} />
          {size && (
            <Tooltip label={SIZE_RULE} multiline w={280}>
              <Text size="xs" c="dimmed" className="jf-nowrap" visibleFrom="sm">
                {size.cols} × {size.rows}
                {!writes && `, ${t('read only')}`}
              </Text>
            </Tooltip>
          )}
          <Recording recording={row?.recording ?? undefined} />
          <Tooltip label={t('Find (Ctrl+Shift+F)')}>
            <ActionIcon size="sm" aria-label={t('Find in the terminal')} onClick={() => setFinding(true)}>
              <IconSearch size={14} />
            </ActionIcon>
          </Tooltip>
          <PaneMenu
            id={id}
            name={name}
            row={row}
            screen={screen}
            link={link}
            ended={state.phase === 'ended' || state.phase === 'gone'}
            preferences={preferences}
            onPrefer={prefer}
            onFind={() => setFinding(true)}
            actions={actions}
          />
          <Tooltip label={t('Close and keep the session running')}>
            <ActionIcon size="sm" aria-label={t('Close {name}', { name })} onClick={actions.onClose}>
              <IconX size={14} />
            </ActionIcon>
          </Tooltip>
        </Group>
      </Group>
      {finding && screen && (
        <FindBar
          screen={screen}
          onClose={() => {
            setFinding(false);
            screen.terminal.focus();
          }}
        />
      )}
      <section
        ref={host}
        className={classes.screen}
        aria-label={phrases(t('Screen of {name}', { name }), place)}
        data-read-only={!writes || undefined}
      />
      {writes && link && state.phase === 'live' && <KeyBar link={link} screen={screen} />}
      <StateBar sign={sign} onAgain={() => link?.again()}>
        {alias && writes && (
          <Button size="compact-sm" variant="default" loading={start.isPending} onClick={() => void again()}>
            {t('Start again')}
          </Button>
        )}
        <Button size="compact-sm" variant="default" onClick={actions.onClose}>
          {t('Close')}
        </Button>
      </StateBar>
    </section>
  );
}
