import { Button, Group, Paper, SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../../app/session';
import { CopyIcon } from '../../components/Copyable';
import { KeyValueEditor, type Pair } from '../../components/KeyValueEditor';
import { notifyError } from '../../components/notify';
import { rich, t } from '../../language/messages';
import { curl, filled, MASK, maskedNames, ownHeaders, placeholders, queryOf } from './curl';
import { type Call, check, type Webhook } from './queries';
import { Answered, Checked } from './Results';
import { send } from './send';

const BODYLESS = new Set(['GET', 'HEAD']);

/** A call to fill in: to be checked, which runs nothing, or to be sent. `call`: one of the history to begin with. */
export function Try({ webhook, call }: { webhook: Webhook; call: Call | undefined }) {
  const may = useMay('member');
  const [segments, setSegments] = useState<Record<string, string>>({});
  const [query, setQuery] = useState(call?.requestQuery ?? '');
  const [headers, setHeaders] = useState<Pair[]>(() => headersOf(webhook, call));
  const [text, setText] = useState(call?.requestBody ?? '');
  const [target, setTarget] = useState('webhook');
  const path = filled(webhook.path, segments);
  const body = BODYLESS.has(webhook.method) ? '' : text;
  const sent = headers.filter(({ key }) => key.trim()).map(({ key, value }) => [key.trim(), value] as const);
  const root = rootOf(webhook).replace(/webhook$/, target);
  const url = `${root}${path}${query ? `?${query.replace(/^\?/, '')}` : ''}`;

  const checking = useMutation({
    mutationFn: () => {
      const asked = { method: webhook.method, headers: Object.fromEntries(sent), query: queryOf(query) };
      return check(webhook.id, body ? { ...asked, body } : asked);
    },
    onError: (error) => notifyError(error, t('It cannot be checked')),
  });
  const sending = useMutation({
    mutationFn: () => send({ method: webhook.method, url, headers: sent, body }),
    onError: (error) => notifyError(error, t('The call could not be made')),
  });

  return (
    <Stack gap="md">
      <Paper p="md">
        <Stack gap="md">
          {placeholders(webhook.path).map((name) => (
            <TextInput
              key={name}
              label={t('Path: {name}', { name })}
              value={segments[name] ?? ''}
              onChange={(event) => setSegments({ ...segments, [name]: event.currentTarget.value })}
            />
          ))}
          <TextInput
            label={t('Query')}
            description={
              query.includes(`=${MASK}`)
                ? t('Secrets are not kept: fill in what is {mask}.', { mask: MASK })
                : undefined
            }
            placeholder="page=1&sort=name"
            classNames={{ input: 'jf-mono' }}
            value={query}
            onChange={(event) => setQuery(event.currentTarget.value)}
          />
          <KeyValueEditor
            label={t('Headers')}
            {...(call && maskedNames(call.requestHeaders).length
              ? {
                  description: t('Secrets are not kept: fill in {maskedNames}.', {
                    maskedNames: maskedNames(call.requestHeaders).join(', '),
                  }),
                }
              : {})}
            pairs={headers}
            onChange={setHeaders}
            addLabel={t('Add a header')}
          />
          {!BODYLESS.has(webhook.method) && (
            <Textarea
              label={t('Body')}
              autosize
              minRows={5}
              maxRows={20}
              classNames={{ input: 'jf-mono' }}
              placeholder='{"name": "Ada"}'
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
          )}
          <Group justify="space-between" gap="sm">
            <Group gap="sm">
              <Button variant="default" loading={checking.isPending} onClick={() => checking.mutate()}>
                {t('Check')}
              </Button>
              {may && (
                <>
                  <Button loading={sending.isPending} onClick={() => sending.mutate()}>
                    {t('Send')}
                  </Button>
                  <SegmentedControl
                    size="xs"
                    aria-label={t('Send it to')}
                    value={target}
                    onChange={setTarget}
                    data={[
                      { value: 'webhook', label: t('Live') },
                      { value: 'webhook-test', label: t('Test') },
                    ]}
                  />
                </>
              )}
            </Group>
            <CopyIcon
              text={() => curl({ method: webhook.method, url, headers: sent, body })}
              label={t('as a curl command')}
            />
          </Group>
          <Text size="xs" c="dimmed">
            {rich(
              'Check says whether such a call would be taken, and runs nothing. Send calls {url} from this browser: the workflow runs.',
              { url: <span className="jf-mono">{url}</span> },
            )}
            {target === 'webhook-test' && ` ${t('Test runs the saved workflow with its pinned data, active or not.')}`}
          </Text>
        </Stack>
      </Paper>
      {checking.data && <Checked verdict={checking.data} />}
      {sending.data && <Answered answer={sending.data} />}
    </Stack>
  );
}

/** The address without the webhook's own path, which it has percent-encoded. */
function rootOf({ url, path }: Webhook): string {
  return url
    .split('/')
    .slice(0, 1 - path.split('/').length)
    .join('/');
}

function headersOf(webhook: Webhook, call: Call | undefined): Pair[] {
  if (call) {
    const kept = ownHeaders(call.requestHeaders).map(([key, value]) => ({ key, value }));
    return [
      ...kept,
      ...maskedNames(call.requestHeaders)
        .filter((name) => name !== 'cookie')
        .map((key) => ({ key, value: '' })),
    ];
  }
  return BODYLESS.has(webhook.method) ? [] : [{ key: 'Content-Type', value: 'application/json' }];
}
