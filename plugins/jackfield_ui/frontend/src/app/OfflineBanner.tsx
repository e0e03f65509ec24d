import { Button, Group, Loader, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { connection, useConnection } from '../api/connection';
import { rich, t } from '../language/messages';
import classes from './shell.module.css';

/** Said once, above everything; what was read before stays readable. */
export function OfflineBanner() {
  const away = useConnection() === 'away';
  const [trying, setTrying] = useState(false);
  const banner = useRef<HTMLDivElement>(null);
  // Pages of the whole height have so much less.
  useEffect(() => {
    const element = banner.current;
    if (!away || !element) return;
    const { style } = document.documentElement;
    const watcher = new ResizeObserver(() => style.setProperty('--jf-banner-height', `${element.offsetHeight}px`));
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      style.removeProperty('--jf-banner-height');
    };
  }, [away]);
  const probe = async () => {
    setTrying(true);
    await connection.probe();
    setTrying(false);
  };
  return (
    <div ref={banner} className={classes.banner} role="status" aria-live="polite">
      {away && (
        <Group className={classes.offline} justify="center" gap="sm" wrap="nowrap">
          <Loader size={14} color="currentColor" aria-hidden="true" />
          <Text size="sm">
            {rich('<b>Jackfield does not answer.</b> This page continues as soon as it does.', {
              b: (inner) => <b>{inner}</b>,
            })}
          </Text>
          <Button size="compact-xs" variant="default" loading={trying} onClick={() => void probe()}>
            {t('Try now')}
          </Button>
        </Group>
      )}
    </div>
  );
}
