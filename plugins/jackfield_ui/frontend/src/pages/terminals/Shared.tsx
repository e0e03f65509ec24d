import { Group, Text } from '@mantine/core';
import { useRef } from 'react';
import { socketUrl } from '../../api/socket';
import { Logo } from '../../app/Logo';
import { SchemeToggle } from '../../app/SchemeToggle';
import { useTitle } from '../../app/title';
import { EmptyState } from '../../components/EmptyState';
import { StatusBadge } from '../../components/StatusBadge';
import { phrases, rich, t } from '../../language/messages';
import { type Phase, WINDOW } from './link';
import { usePreferences } from './preferences';
import { StateBar } from './StateBar';
import classes from './terminals.module.css';
import { useTerminal } from './useTerminal';

/** `/ui/shared#token=...`: one session to look at, for whoever has the link; nothing else. */
export default function Shared() {
  const token = useRef(takeToken()).current;
  useTitle(t('Shared terminal'));
  return (
    <main className={classes.shared}>
      {token ? (
        <View token={token} />
      ) : (
        <EmptyState title={t('This link is not whole')}>
          <h1 className="jf-hidden">{t('Shared terminal')}</h1>
          {rich('Ask for the whole link. It ends with {code}.', {
            code: <span className="jf-mono">#token=…</span>,
          })}
        </EmptyState>
      )}
    </main>
  );
}

const KEY = 'jackfield.shared';

/** The token leaves the address; a reload of this browser tab finds it again. */
function takeToken(): string {
  const found = new URLSearchParams(location.hash.slice(1)).get('token');
  if (!found) return sessionStorage.getItem(KEY) ?? '';
  sessionStorage.setItem(KEY, found);
  history.replaceState(history.state, '', location.pathname);
  return found;
}

/** 4401: the link does not count; anything else comes back. */
async function recover(code: number): Promise<Phase | 'again'> {
  return code === 4401 ? 'refused' : 'again';
}

function View({ token }: { token: string }) {
  const host = useRef<HTMLElement>(null);
  const [preferences] = usePreferences();
  const { state, title, size, link } = useTerminal({
    host,
    address: socketUrl(`/ws/shared?sizes=1&window=${WINDOW}`),
    first: JSON.stringify({ token }),
    readOnly: true,
    visible: true,
    preferences,
    recover,
  });
  return (
    <>
      <Group className={classes.sharedHead} justify="space-between" wrap="nowrap" gap="sm">
        <Group gap="sm" wrap="nowrap" miw={0}>
          <Logo />
          <h1 className="jf-hidden">{t('Shared terminal')}</h1>
          <Text fw={600} className="jf-ellipsis" title={title}>
            {title || t('Shared terminal')}
          </Text>
          <Text size="sm" c="dimmed" className="jf-nowrap" visibleFrom="xs">
            {phrases(t('read only'), size && `${size.cols} × ${size.rows}`)}
          </Text>
        </Group>
        <Group gap="sm" wrap="nowrap">
          <StatusBadge
            status={state.phase === 'live' ? 'running' : state.phase === 'ended' ? 'terminated' : 'waiting'}
            label={WORDS[state.phase]}
          />
          <SchemeToggle />
        </Group>
      </Group>
      <div className={classes.sharedBody}>
        <section ref={host} className={classes.screen} data-read-only aria-label={t('Screen of the session')} />
        <StateBar sign={{ state }} onAgain={() => link?.again()} />
      </div>
    </>
  );
}

const WORDS: Record<Phase, string> = {
  connecting: t('Connecting'),
  live: t('Live'),
  away: t('Connection lost'),
  ended: t('Ended'),
  gone: t('Gone'),
  full: t('Full'),
  refused: t('Link not valid'),
};
