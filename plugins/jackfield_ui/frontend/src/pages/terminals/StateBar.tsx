import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { messageOf } from '../../api/errors';
import { bytes } from '../../components/format';
import { t } from '../../language/messages';
import type { LinkState } from './link';
import classes from './terminals.module.css';

export interface Sign {
  state: LinkState;
  error?: unknown;
  starting?: boolean;
}

/** Below the terminal, where there is something to say: that it has ended, is away, or was too fast. */
export function StateBar({
  sign: { state, error },
  onAgain,
  children,
}: {
  sign: Sign;
  onAgain: () => void;
  children?: ReactNode;
}) {
  const { phase, missed, note } = state;
  const over = phase === 'ended' || phase === 'gone' || phase === 'refused';
  const text = said(state);
  const lines = [text, error ? messageOf(error) : undefined, phase === 'live' ? note : undefined].filter(Boolean);
  if (!lines.length && !missed) return null;
  return (
    <Group className={classes.state} data-phase={phase} gap="sm" role="status">
      <Text size="sm" flex={1}>
        {lines.join(' ')}
        {!lines.length &&
          missed > 0 &&
          t('The output was faster than this page, which left out {missed}.', { missed: bytes(missed) })}
      </Text>
      {over && children}
      {(phase === 'full' || phase === 'away') && (
        <Button size="compact-sm" variant="default" onClick={onAgain}>
          {t('Try again')}
        </Button>
      )}
    </Group>
  );
}

function said({ phase, exitCode = 0, note, reason }: LinkState): string | undefined {
  switch (phase) {
    case 'ended':
      return [
        exitCode > 128 && exitCode < 193
          ? t('Ended by the signal {signal} (exit code {exitCode}).', { signal: exitCode - 128, exitCode })
          : t('Ended with exit code {exitCode}.', { exitCode }),
        reason,
      ]
        .filter(Boolean)
        .join(' ');
    case 'gone':
      return reason ?? t('This session is not there any more: it was cleaned up, or ended with the daemon.');
    case 'full':
      return note ?? t('The session has as many clients as it may have.');
    case 'refused':
      return note ?? t('This link is no longer valid.');
    case 'away':
      return t('The connection is lost; it comes back by itself.');
    default:
      return undefined;
  }
}
