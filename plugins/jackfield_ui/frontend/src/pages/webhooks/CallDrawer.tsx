import { Alert, Anchor, Button, Drawer, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from 'react-router';
import { segment } from '../../api/client';
import { areaPath } from '../../app/areas';
import { hasArea } from '../../app/pages';
import { useMay } from '../../app/session';
import { CopyIcon } from '../../components/Copyable';
import { moment } from '../../components/format';
import { notifyError } from '../../components/notify';
import { Duration } from '../../components/values';
import { IconRepeat } from '../../icons/drawn';
import { rich, t } from '../../language/messages';
import { BodyView } from './BodyView';
import { CallStatus } from './CallList';
import { curl, maskedNames, ownHeaders } from './curl';
import { type Call, replay, type Webhook } from './queries';
import classes from './webhooks.module.css';

interface Props {
  webhook: Webhook;
  onSendAgain: (call: Call) => void;
}

/** One call: what came, what was answered, and how to have it again. */
export function CallDrawer({ call, onClose, ...props }: Props & { call: Call | undefined; onClose: () => void }) {
  return (
    <Drawer
      opened={call !== undefined}
      onClose={onClose}
      position="right"
      size="lg"
      title={call && `${call.requestMethod} ${props.webhook.path}`}
      classNames={{ header: classes.drawerHead ?? '', title: classes.drawerTitle ?? '' }}
      closeButtonProps={{ 'aria-label': t('Close') }}
      attributes={{ header: { role: 'none' } }}
    >
      {call && <CallView key={call.id} call={call} {...props} />}
    </Drawer>
  );
}

function CallView({ call, webhook, onSendAgain }: Props & { call: Call }) {
  const headers = ownHeaders(call.requestHeaders);
  const masked = maskedNames(call.requestHeaders);
  const query = parameters(call.requestQuery);
  const url = call.requestQuery ? `${webhook.url}?${call.requestQuery}` : webhook.url;
  const command = curl({ method: call.requestMethod, url, headers, body: call.requestBody });
  return (
    <Stack gap="md">
      <div>
        <Group gap="sm">
          <CallStatus status={call.status} />
          {call.executionId && hasArea('executions') && (
            <Anchor component={Link} to={executionPath(call.executionId)} size="sm">
              {t('Open the execution')}
            </Anchor>
          )}
        </Group>
        <Text size="sm" c="dimmed">
          {moment(new Date(call.timestamp))}
          {typeof call.duration === 'number' && (
            <>
              {', '}
              {rich('answered after {duration}', { duration: <Duration ms={call.duration} /> })}
            </>
          )}
        </Text>
      </div>
      <Again call={call} webhook={webhook} onSendAgain={onSendAgain} />
      {query.length > 0 && (
        <section>
          <Title order={3} mb="xs">
            {t('Query')}
          </Title>
          <Pairs label={t('Query of the call')} pairs={query} />
        </section>
      )}
      <section>
        <Title order={3} mb="xs">
          {t('Headers')}
        </Title>
        <Pairs label={t('Headers of the call')} pairs={Object.entries(call.requestHeaders)} />
      </section>
      <section>
        <Title order={3} mb="xs">
          {t('Body')}
        </Title>
        {call.status === 'rejected' && !call.requestBody ? (
          <Text c="dimmed">{t('The body of a rejected call is not kept.')}</Text>
        ) : (
          <BodyView text={call.requestBody} label={t('the body')} cut={call.truncated ?? false} />
        )}
      </section>
      <section>
        <Title order={3} mb="xs">
          {t('Answer {responseStatus}', { responseStatus: call.responseStatus ?? '' })}
        </Title>
        <BodyView text={call.responseBody} label={t('the answer')} cut={call.responseTruncated ?? false} />
      </section>
      <section>
        <Group justify="space-between" mb="xs">
          <Title order={3}>{t('From a shell')}</Title>
          <CopyIcon text={command} label={t('the command')} />
        </Group>
        <pre className={classes.text}>{command}</pre>
        {masked.length > 0 && (
          <Text size="xs" c="dimmed" mt="xs">
            {t('Add {masked} yourself: secrets are not kept.', { masked: masked.join(', ') })}
          </Text>
        )}
      </section>
    </Stack>
  );
}

function Pairs({ label, pairs }: { label: string; pairs: readonly (readonly [string, string])[] }) {
  return (
    <table className={classes.headers} aria-label={label}>
      <tbody>
        {pairs.map(([name, value], index) => (
          <tr key={index}>
            <th scope="row">{name}</th>
            <td className="jf-mono">{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const parameters = (query: string): [string, string][] => [...new URLSearchParams(query)];
const executionPath = (id: string) => `${areaPath('executions')}/${segment(id)}`;

function Again({ call, webhook, onSendAgain }: Props & { call: Call }) {
  const may = useMay('member');
  const { mutate, data, isPending } = useMutation({
    mutationFn: (executionId: string) => replay(executionId),
    onError: (error) => notifyError(error, t('It cannot be replayed')),
  });
  const executionId = call.executionId;
  return (
    <Stack gap="sm" align="flex-start">
      <Group gap="sm">
        {may && executionId && (
          <Button
            leftSection={<IconRepeat size={16} aria-hidden="true" />}
            loading={isPending}
            onClick={() => mutate(executionId)}
          >
            {t('Replay')}
          </Button>
        )}
        <Button variant="default" onClick={() => onSendAgain(call)}>
          {t('Send again…')}
        </Button>
      </Group>
      <Text size="xs" c="dimmed">
        {executionId
          ? t(
              'Replay runs the workflow again with the same input. Send again fills in the form, to change the call first.',
            )
          : t('It did not reach the workflow of {path}. Send again fills in the form with the stored part of it.', {
              path: webhook.path,
            })}
      </Text>
      {data && (
        <Alert color="glaze" role="status" w="100%">
          {rich('It runs again: <link>open the new execution</link>', {
            link: (inner) => (
              <Anchor component={Link} to={executionPath(data.executionId)}>
                {inner}
              </Anchor>
            ),
          })}
        </Alert>
      )}
    </Stack>
  );
}
