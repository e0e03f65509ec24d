import { Group, Text } from '@mantine/core';
import { memo, useState } from 'react';
import { CopyIcon } from '../../components/Copyable';
import { locale, t } from '../../language/messages';
import { brief } from './brief';
import { type Line, written } from './buffer';
import classes from './logs.module.css';

/** One line; opened, it has all that the daemon wrote with it. */
export const LogLine = memo(function LogLine({ line }: { line: Line }) {
  const [opened, setOpened] = useState(false);
  const { time, level, logger, message } = line;
  return (
    <li className={classes.line}>
      <button type="button" className={classes.head} aria-expanded={opened} onClick={() => setOpened(!opened)}>
        <time className={classes.time} dateTime={time ?? undefined} title={time ?? undefined}>
          {time ? clock(time) : '–'}
        </time>
        <span className={classes.level} data-level={level}>
          {level}
        </span>
        <span className={classes.logger} title={logger}>
          {logger}
        </span>
        <span className={classes.message} data-closed={!opened || undefined}>
          {opened ? message : brief(message)}
        </span>
      </button>
      {opened && <More line={line} />}
    </li>
  );
});

function More({ line }: { line: Line }) {
  const { time, request_id, fields, exception } = line;
  const facts: [string, string][] = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  if (request_id) facts.unshift(['request', request_id]);
  if (time) facts.unshift(['time', time]);
  return (
    <div className={classes.more}>
      {facts.length > 0 && (
        <dl className={classes.fields}>
          {facts.map(([name, value]) => (
            <div key={name} style={{ display: 'contents' }}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {exception && (
        <pre className={classes.exception} tabIndex={0}>
          {exception}
        </pre>
      )}
      <Group gap="xs">
        <CopyIcon text={() => written(line)} label={t('the line')} />
        <Text size="xs" c="dimmed">
          {t('Copy the line')}
        </Text>
      </Group>
    </div>
  );
}

const CLOCK = new Intl.DateTimeFormat(locale(), { timeStyle: 'medium', hourCycle: 'h23' });
const DAY = new Intl.DateTimeFormat(locale(), { day: 'numeric', month: 'short' });

/** The time, and the day if it is not today. */
function clock(time: string): string {
  const at = new Date(time);
  const today = at.toDateString() === new Date().toDateString();
  return today ? CLOCK.format(at) : `${DAY.format(at)} ${CLOCK.format(at)}`;
}
