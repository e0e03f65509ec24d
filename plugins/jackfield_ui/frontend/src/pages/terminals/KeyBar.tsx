import { Button, Group } from '@mantine/core';
import { IconArrowDown, IconArrowLeft, IconArrowRight, IconArrowUp } from '../../icons/drawn';
import { t } from '../../language/messages';
import type { Link } from './link';
import type { Screen } from './screen';
import classes from './terminals.module.css';

const KEYS = [
  { label: 'Esc', text: '\x1b' },
  { label: t('Tab'), text: '\t' },
  { label: 'Ctrl+C', text: '\x03' },
  { label: t('Up'), Icon: IconArrowUp, text: '\x1b[A' },
  { label: t('Down'), Icon: IconArrowDown, text: '\x1b[B' },
  { label: t('Left'), Icon: IconArrowLeft, text: '\x1b[D' },
  { label: t('Right'), Icon: IconArrowRight, text: '\x1b[C' },
  { label: t('Enter'), text: '\r' },
];

const encoder = new TextEncoder();

/** What a phone's keyboard does not have. */
export function KeyBar({ link, screen }: { link: Link; screen: Screen | undefined }) {
  const type = (text: string) => {
    const inner = screen?.terminal.modes.applicationCursorKeysMode ? text.replace('\x1b[', '\x1bO') : text;
    link.type(encoder.encode(inner));
    screen?.terminal.focus();
  };
  return (
    <Group className={classes.keys} gap={4} wrap="nowrap" hiddenFrom="sm" role="group" aria-label={t('Keys')}>
      {KEYS.map(({ label, Icon, text }) => (
        <Button
          key={label}
          size="compact-sm"
          variant="default"
          aria-label={label}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => type(text)}
        >
          {Icon ? <Icon size={16} /> : label}
        </Button>
      ))}
    </Group>
  );
}
