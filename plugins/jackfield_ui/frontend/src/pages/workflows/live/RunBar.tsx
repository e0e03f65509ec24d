import { ActionIcon, Anchor, Button, Group, Input, Menu, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { segment } from '../../../api/client';
import { isRecord, messageOf } from '../../../api/errors';
import { areaPath } from '../../../app/areas';
import { hasArea } from '../../../app/pages';
import { CodeEditor } from '../../../components/CodeEditor';
import { Modal } from '../../../components/Modal';
import { notifyError } from '../../../components/notify';
import { StatusBadge } from '../../../components/StatusBadge';
import { IconChevronDown, IconMessage, IconPlayerPlay, IconPlayerStop, IconWebhook, IconX } from '../../../icons/drawn';
import { t } from '../../../language/messages';
import classes from '../editor.module.css';
import { isSticky, kindOf } from '../model/document';
import { presentDoc, useEditor } from '../model/store';
import type { NodeType, Part } from '../queries';
import type { Save } from '../useSave';
import { useLiveRun } from './context';
import type { Progress } from './progress';
import { TestWebhook } from './TestWebhook';

type Run = (part?: Part) => Promise<void>;

/** Runs the workflow and says how it goes. */
export function RunBar({
  kinds,
  run,
  save,
  onChat,
}: {
  kinds: ReadonlyMap<string, NodeType>;
  run: Run;
  save: Save;
  /** Opens the chat; undefined: the workflow has none. */
  onChat: (() => void) | undefined;
}) {
  const doc = useEditor(presentDoc);
  const live = useLiveRun();
  const [asking, setAsking] = useState(false);
  const [testing, setTesting] = useState(false);
  const hooks = doc.nodes.filter((node) => kindOf(node.type) === 'webhook' && !node.disabled);
  const running = live.status === 'running' || live.status === 'queued';
  const start = (part?: Part) => {
    run(part).catch((error: unknown) => notifyError(error, t('The workflow cannot run')));
  };
  if (!doc.nodes.length) return null;
  return (
    <div className={classes.bar}>
      {!running && (
        <Button.Group>
          <Button
            leftSection={<IconPlayerPlay size={16} aria-hidden="true" />}
            onClick={() => start()}
            loading={save.saving}
          >
            {t('Run')}
          </Button>
          <Menu position="top-end">
            <Menu.Target>
              <Button px="xs" aria-label={t('More ways to run')} style={{ borderLeft: '1px solid' }}>
                <IconChevronDown size={16} />
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item leftSection={<IconPlayerPlay size={16} />} onClick={() => setAsking(true)}>
                {t('Run with a start and input')}
              </Menu.Item>
              {hooks.length > 0 && (
                <Menu.Item leftSection={<IconWebhook size={16} />} onClick={() => setTesting(true)}>
                  {t('Test the webhook')}
                </Menu.Item>
              )}
            </Menu.Dropdown>
          </Menu>
        </Button.Group>
      )}
      {onChat && !running && (
        <Button variant="default" leftSection={<IconMessage size={16} aria-hidden="true" />} onClick={onChat}>
          {t('Chat')}
        </Button>
      )}
      {hooks.length > 0 && !running && !live.listening && (
        <Button
          variant="default"
          leftSection={<IconWebhook size={16} aria-hidden="true" />}
          onClick={() => setTesting(true)}
          visibleFrom="xs"
        >
          {t('Test webhook')}
        </Button>
      )}
      {(running || live.status === 'waiting') && (
        <Button
          variant="default"
          leftSection={<IconPlayerStop size={16} aria-hidden="true" />}
          onClick={() => live.cancel()}
        >
          {t('Stop')}
        </Button>
      )}
      <span role="status">
        {live.listening ? (
          <Group gap="xs">
            <Text span size="sm" c="dimmed">
              {t('Waiting for a test call')}
            </Text>
            <ActionIcon size="sm" onClick={() => live.listen(false)} aria-label={t('Stop waiting for a test call')}>
              <IconX size={14} />
            </ActionIcon>
          </Group>
        ) : (
          live.status && <StatusBadge status={live.status} />
        )}
      </span>
      {live.id && !running && (
        <Group gap="xs">
          <Reused progress={live.progress} />
          {hasArea('executions') && (
            <Anchor component={Link} to={`${areaPath('executions')}/${segment(live.id)}`} size="sm">
              {t('Details')}
            </Anchor>
          )}
          <ActionIcon size="sm" onClick={() => live.clear()} aria-label={t('Clear the run from the canvas')}>
            <IconX size={14} />
          </ActionIcon>
        </Group>
      )}
      {asking && <Ask kinds={kinds} run={start} onClose={() => setAsking(false)} />}
      {testing && <TestWebhook hooks={hooks} save={save} onClose={() => setTesting(false)} />}
    </div>
  );
}

/** How many nodes did not run again. */
function Reused({ progress }: { progress: Progress }) {
  const names = [...progress].flatMap(([name, { reused }]) => (reused ? [name] : []));
  if (!names.length) return null;
  return (
    <Text span size="sm" c="dimmed" title={names.join(', ')}>
      {t('{names, plural, one {1 node not run again} other {# nodes not run again}}', { names: names.length })}
    </Text>
  );
}

/** Where to start, and with what. */
function Ask({
  kinds,
  run,
  onClose,
}: {
  kinds: ReadonlyMap<string, NodeType>;
  run: (part: Part) => void;
  onClose: () => void;
}) {
  const doc = useEditor(presentDoc);
  const nodes = doc.nodes.filter((node) => !isSticky(node) && !node.disabled);
  const triggers = nodes.filter((node) => kinds.get(kindOf(node.type))?.trigger);
  const [start, setStart] = useState<string | null>(triggers[0]?.name ?? nodes[0]?.name ?? null);
  const [text, setText] = useState('[\n  { "json": {} }\n]');
  const [problem, setProblem] = useState<string>();
  const submit = () => {
    try {
      const given: unknown = JSON.parse(text.trim() || '[]');
      const list = Array.isArray(given) ? given : [given];
      const items = list.map((one: unknown) => (isRecord(one) && 'json' in one ? one : { json: one }));
      run({ start: start ?? undefined, ...(items.length ? { items } : {}) });
      onClose();
    } catch (error) {
      setProblem(t('This is not JSON: {messageOf}', { messageOf: messageOf(error) }));
    }
  };
  return (
    <Modal opened onClose={onClose} title={t('Run with a start and input')} size="lg">
      <Stack>
        <Select
          label={t('Start at')}
          data={nodes.map(({ name }) => name)}
          value={start}
          onChange={setStart}
          searchable
          allowDeselect={false}
        />
        <Input.Wrapper
          label={t('Input')}
          description={t('Items that the start node gives: objects, or items with json and binary.')}
          error={problem}
        >
          <CodeEditor label={t('Input')} language="json" value={text} onChange={setText} minHeight={160} />
        </Input.Wrapper>
        <Group justify="flex-end">
          <Button onClick={submit}>{t('Run')}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
