import { Alert, Group, List, Paper, Text, Title } from '@mantine/core';
import { StatusBadge } from '../../components/StatusBadge';
import { Duration } from '../../components/values';
import { IconCircleCheck, IconCircleX } from '../../icons/drawn';
import { rich, t } from '../../language/messages';
import { BodyView } from './BodyView';
import type { Verdict } from './queries';
import type { Answer } from './send';

/** What the checks of a call said. */
export function Checked({ verdict }: { verdict: Verdict }) {
  return (
    <Alert color={verdict.valid ? 'green' : 'red'} title={verdict.message} role="status">
      <List spacing="xs" center>
        {verdict.checks.map(({ name, ok, message }) => (
          <List.Item
            key={name}
            icon={
              ok ? (
                <IconCircleCheck size={16} color="var(--jf-good)" aria-label={t('Passed:')} />
              ) : (
                <IconCircleX size={16} color="var(--jf-bad)" aria-label={t('Refused:')} />
              )
            }
          >
            {message}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

/** What came back. */
export function Answered({ answer }: { answer: Answer }) {
  const good = answer.status >= 200 && answer.status < 400;
  const type = answer.headers.find(([name]) => name === 'content-type')?.[1];
  return (
    <Paper p="md" component="section" aria-label={t('Answer')}>
      <Group gap="sm" mb="sm">
        <Title order={2}>{t('Answer')}</Title>
        <StatusBadge
          status={good ? 'success' : 'failed'}
          label={answer.status === 0 ? t('A redirect that was not followed') : String(answer.status)}
          tone={good || answer.status === 0 ? 'good' : 'bad'}
        />
        <Text size="sm" c="dimmed" role="status">
          {rich('after {duration}', { duration: <Duration ms={answer.took} /> })}
          {type && `, ${type}`}
        </Text>
      </Group>
      <BodyView text={answer.text} label={t('the answer')} cut={answer.cut} />
    </Paper>
  );
}
