import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import { segment } from '../../api/client';
import type { Approval } from '../../app/approvals';
import { areaPath } from '../../app/areas';
import { RelativeTime } from '../../components/values';
import { visible, visibleInput } from '../../components/visible';
import { rich, t } from '../../language/messages';
import { AnswerForm } from './AnswerForm';
import { Answers } from './Answers';
import classes from './approvals.module.css';

const CLOSED: Record<string, string> = {
  answered: t('Answered'),
  withdrawn: t('Withdrawn'),
  expired: t('Rejected, as nobody answered in time'),
};

/** One thing that is asked, with its answers while it is open. */
export function ApprovalCard({ approval }: { approval: Approval }) {
  const { state, title, message, input, options, answer, answeredBy } = approval;
  const isOpen = state === 'open';
  const chosen = options.find(({ id }) => id === answer)?.label ?? answer;
  return (
    <article className={`${classes.card} ${isOpen ? classes.open : ''}`} aria-label={title}>
      <h2 className={classes.title}>{visible(title)}</h2>
      <Source approval={approval} />
      {message && <Text className={classes.message}>{visible(message)}</Text>}
      {input !== null && (
        <pre className={`${classes.input} jf-mono`} tabIndex={0} role="group" aria-label={t('Input')}>
          {visibleInput(input)}
        </pre>
      )}
      {approval.cut && (
        <Text size="sm">{t('The input is too long and is not shown whole: you can only reject it.')}</Text>
      )}
      {isOpen && options.length === 0 && <AnswerForm approval={approval} />}
      {isOpen && options.length > 0 && <Answers approval={approval} />}
      {!isOpen && (
        <Text c="dimmed" size="sm" mt="xs">
          {CLOSED[state]}
          {state === 'answered' && chosen && `: ${chosen}`}
          {answeredBy && ` (${answeredBy})`}
        </Text>
      )}
    </article>
  );
}

/** Who asks, since when, and until when. */
function Source({ approval }: { approval: Approval }) {
  const { executionId, workflow, node, profile, tool, askedBy, sessionId, host, askedAt, until } = approval;
  return (
    <Text size="sm" c="dimmed" mb="xs">
      {profile && (
        <>
          <Anchor component={Link} to={`${areaPath('profiles')}/${segment(profile)}`} inherit underline="always">
            {profile}
          </Anchor>
          {tool && ` · ${visible(tool)}`}
          {host && ` · ${host}`}
          {askedBy === 'agent_session' && sessionId && (
            <>
              {' · '}
              <Anchor component={Link} to={`${areaPath('chats')}/${segment(sessionId)}`} inherit underline="always">
                {t('chat')}
              </Anchor>
            </>
          )}
          {' · '}
        </>
      )}
      {executionId && (
        <>
          <Anchor component={Link} to={`${areaPath('executions')}/${segment(executionId)}`} inherit underline="always">
            {workflow ? visible(workflow) : t('execution')}
          </Anchor>
          {node && ` · ${visible(node)}`}
          {!profile && tool && ` · ${visible(tool)}`}
          {' · '}
          {approval.test && (
            <>
              <Text span inherit fw={600}>
                {t('Test')}
              </Text>
              {' · '}
            </>
          )}
        </>
      )}
      <RelativeTime time={askedAt} />
      {until && (
        <>
          {' · '}
          {rich('until {time}', { time: <RelativeTime time={until} /> })}
        </>
      )}
    </Text>
  );
}
