import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import { t } from '../language/messages';
import { Modal } from './Modal';
import classes from './notDone.module.css';

/** Those of many with which an action failed, each with the reason. */
export function NotDone({
  title,
  done,
  failed,
  onClose,
}: {
  title: string;
  /** A sentence about the others. */
  done: string;
  failed: readonly { key: string; name: string; to: string; reason: string }[];
  onClose: () => void;
}) {
  return (
    <Modal opened onClose={onClose} title={title} size="lg">
      <Text size="sm" mb="sm">
        {t('{done} These stay selected:', { done })}
      </Text>
      <ul className={classes.failures} aria-label={t('Not done')}>
        {failed.map(({ key, name, to, reason }) => (
          <li key={key}>
            <Anchor component={Link} to={to}>
              {name}
            </Anchor>
            <span>{reason}</span>
          </li>
        ))}
      </ul>
    </Modal>
  );
}
