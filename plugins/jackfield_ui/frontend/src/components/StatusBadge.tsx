import {
  IconAlertTriangle,
  IconBan,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconClock,
  IconProgress,
} from '../icons/drawn';
import type { Icon } from '../icons/icon';
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
  failed: { tone: 'bad', label: t('Failed') },
  error: { tone: 'bad', label: t('Error') },
  cancelled: { tone: 'still', label: t('Cancelled'), icon: IconBan },
  running: { tone: 'busy', label: t('Running') },
  starting: { tone: 'busy', label: t('Starting') },
  restarting: { tone: 'warn', label: t('Restarting') },
  unhealthy: { tone: 'warn', label: t('Unhealthy') },
  queued: { tone: 'still', label: t('Queued'), icon: IconClock },
  waiting: { tone: 'warn', label: t('Waiting'), icon: IconClock },
  stopped: { tone: 'still', label: t('Stopped') },
  idle: { tone: 'good', label: t('Ready') },
  working: { tone: 'busy', label: t('Working') },
  asking: { tone: 'warn', label: t('Asks') },
  ended: { tone: 'still', label: t('Ended') },
  terminated: { tone: 'still', label: t('Ended') },
  active: { tone: 'good', label: t('Active') },
  inactive: { tone: 'still', label: t('Inactive') },
  ok: { tone: 'good', label: 'OK' },
  loaded: { tone: 'good', label: t('Loaded') },
  disabled: { tone: 'still', label: t('Disabled'), icon: IconBan },
  installed: { tone: 'good', label: t('Installed') },
  missing: { tone: 'still', label: t('Not installed') },
};

/** The word for a state that the daemon names. */
export const stateWord = (status: string): string => STATES[status.toLowerCase()]?.label ?? stateLabel(status);

/** A state as sign and word; the colour only adds to them. Unknown states are shown as they are called. */
export function StatusBadge({ status, label, tone }: { status: string; label?: string; tone?: Tone }) {
  const known = STATES[status.toLowerCase()];
  const shownTone = tone ?? known?.tone ?? 'still';
  const Sign = known?.icon ?? SIGNS[shownTone];
  return (
    <span className={classes.badge} data-tone={shownTone}>
      <Sign size={15} stroke={2} aria-hidden="true" />
      {label ?? stateWord(status)}
    </span>
  );
}
