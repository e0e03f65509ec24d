import { Alert, Button, Group, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { CodeEditor } from '../../../components/CodeEditor';
import { CopyIcon } from '../../../components/Copyable';
import { Modal } from '../../../components/Modal';
import { t } from '../../../language/messages';
import { type DocNode, parametersOf } from '../model/document';
import { defaultMethodOf } from '../model/shape';
import type { Save } from '../useSave';
import { useLiveRun } from './context';

/** Where a test call goes, how to make one, and waiting for it. */
export function TestWebhook({ hooks, save, onClose }: { hooks: readonly DocNode[]; save: Save; onClose: () => void }) {
  const live = useLiveRun();
  const [name, setName] = useState(hooks[0]?.name ?? null);
  const [sent, setSent] = useState('{\n  "hello": "world"\n}');
  const hook = hooks.find((one) => one.name === name) ?? hooks[0];
  if (!hook) return null;
  const { methods, path } = routeOf(hook);
  const method = methods[0] ?? 'GET';
  const url = `${location.origin}/webhook-test/${path}`;
  const curl = curlOf(method, url, sent);
  const listen = async () => {
    if (!(await save.save())) return;
    live.clear();
    live.listen(true);
    onClose();
  };
  return (
    <Modal opened onClose={onClose} title={t('Test the webhook')} size="lg">
      <Stack>
        {hooks.length > 1 && (
          <Select
            label={t('Webhook')}
            data={hooks.map((one) => one.name)}
            value={name}
            onChange={setName}
            allowDeselect={false}
          />
        )}
        <div>
          <Text fw={550}>{t('Test URL')}</Text>
          <Group gap="xs" wrap="nowrap">
            <Text className="jf-mono" style={{ overflowWrap: 'anywhere' }}>
              {methods.join(', ')} {url}
            </Text>
            <CopyIcon text={url} label={t('the test URL')} />
          </Group>
          <Text size="sm" c="dimmed">
            {t('It runs the saved workflow, also while it is inactive, and uses pinned data.')}
          </Text>
        </div>
        {method !== 'GET' && method !== 'HEAD' && (
          <div>
            <Text fw={550}>{t('Body')}</Text>
            <CodeEditor
              label={t('Body')}
              language="json"
              value={sent}
              onChange={setSent}
              minHeight={80}
              lineNumbers={false}
            />
          </div>
        )}
        <div>
          <Group gap="xs">
            <Text fw={550}>{t('curl command')}</Text>
            <CopyIcon text={curl} label={t('the curl command')} />
          </Group>
          <Text className="jf-mono" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {curl}
          </Text>
        </div>
        {parametersOf(hook).authentication && parametersOf(hook).authentication !== 'none' ? (
          <Alert color="yellow">{t('The webhook asks for authentication: add it to the call.')}</Alert>
        ) : null}
        <Group justify="flex-end">
          <Button onClick={() => void listen()} loading={save.saving}>
            {save.dirty ? t('Save and listen for a test call') : t('Listen for a test call')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

export function routeOf(hook: DocNode): { methods: string[]; path: string } {
  const { httpMethod, path } = parametersOf(hook);
  const methods = Array.isArray(httpMethod) ? httpMethod.map(String) : [String(httpMethod ?? defaultMethodOf(hook))];
  const given = typeof path === 'string' && path ? path : String(hook.webhookId ?? '');
  return { methods, path: given.replace(/^\/+/, '') };
}

/** For a shell: what is quoted stays one word. */
export function curlOf(method: string, url: string, body: string): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  if (method === 'GET') return `curl ${quoted(url)}`;
  if (method === 'HEAD') return `curl --head ${quoted(url)}`;
  const data = `-H 'Content-Type: application/json' --data ${quoted(body)}`;
  return `curl -X ${method} ${data} ${quoted(url)}`;
}
