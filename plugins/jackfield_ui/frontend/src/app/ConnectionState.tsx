import { Tooltip } from '@mantine/core';
import { useConnection } from '../api/connection';
import { IconCircleFilled, IconCloudOff } from '../icons/drawn';
import { t } from '../language/messages';
import classes from './shell.module.css';

/** Whether the daemon answers, as a word and a sign. */
export function ConnectionState() {
  const away = useConnection() === 'away';
  const label = away ? t('Not connected') : t('Connected');
  return (
    <Tooltip label={away ? t('The daemon does not answer.') : t('The daemon answers; this page is live.')}>
      <span className={classes.state}>
        {away ? (
          <IconCloudOff size={16} color="var(--jf-bad)" aria-hidden="true" />
        ) : (
          <IconCircleFilled size={9} color="var(--jf-good)" aria-hidden="true" />
        )}
        <span className="mantine-visible-from-md">{label}</span>
        <span className="jf-hidden">{label}</span>
      </span>
    </Tooltip>
  );
}
