import {
  type Icon,
  IconAlertTriangle,
  IconBan,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconClock,
  IconProgress,
} from '@tabler/icons-react';
import { t } from '../language/messages';
import { stateLabel } from './readable';
import classes from './StatusBadge.module.css';

export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'still';

const SIGNS: Record<Tone, Icon> = {
  good: IconCircleCheck,
  bad: IconCircleX,
  warn: IconAlertTriangle,
  busy: IconProgress,
  still: IconCircleDashed,
};

/** The states that the daemon names, of executions, sessions, proxies, plugins, workflows. */
const STATES: Record<string, { tone: Tone; label?: string; icon?: Icon }> = {
  success: { tone: 'good', label: t('Succeeded') },
  failed: { tone: 'bad' },
  error: { tone: 'bad' },
  cancelled: { tone: 'still', icon: IconBan },
  running: { tone: 'busy' },
  starting: { tone: 'busy' },
  restarting: { tone: 'warn' },
  unhealthy: { tone: 'warn' },
  queued: { tone: 'still', icon: IconClock },
  waiting: { tone: 'warn', icon: IconClock },
  stopped: { tone: 'still' },
  idle: { tone: 'good', label: t('Ready') },
  working: { tone: 'busy' },
  asking: { tone: 'warn', label: t('Asks') },
  ended: { tone: 'still' },
  terminated: { tone: 'still', label: t('Ended') },
  active: { tone: 'good' },
  inactive: { tone: 'still' },
  ok: { tone: 'good', label: 'OK' },
  loaded: { tone: 'good' },
  disabled: { tone: 'still', icon: IconBan },
  installed: { tone: 'good' },
  missing: { tone: 'still', label: t('Not installed') },
};

/** A state as sign and word; the colour only adds to them. Unknown states are shown as they are called. */
export function StatusBadge({ status, label, tone }: { status: string; label?: string; tone?: Tone }) {
  const known = STATES[status.toLowerCase()];
  const shownTone = tone ?? known?.tone ?? 'still';
  const Sign = known?.icon ?? SIGNS[shownTone];
  return (
    <span className={classes.badge} data-tone={shownTone}>
      <Sign size={15} stroke={2} aria-hidden="true" />
      {label ?? known?.label ?? stateLabel(status)}
    </span>
  );
}
