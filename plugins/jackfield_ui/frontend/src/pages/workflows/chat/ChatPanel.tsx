import {
  ActionIcon,
  Anchor,
  Button,
  Group,
  PasswordInput,
  Select,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Link } from 'react-router';
import { segment } from '../../../api/client';
import { isRecord } from '../../../api/errors';
import { areaPath } from '../../../app/areas';
import { hasArea } from '../../../app/pages';
import { Markdown } from '../../../components/markdown/Markdown';
import { IconRefresh, IconX } from '../../../icons/drawn';
import { rich, t } from '../../../language/messages';
import { useLiveRun } from '../live/context';
import { type DocNode, parametersOf } from '../model/document';
import { useEditor } from '../model/store';
import type { Execution } from '../queries';
import type { Save } from '../useSave';
import { pathOf } from './address';
import classes from './chat.module.css';
import { type Login, useConversation } from './useConversation';

/** A chat with the saved workflow, beside the canvas: it runs as a test, so that every message is seen node by node. */
export default function ChatPanel({
  hidden,
  triggers,
  save,
  onClose,
}: {
  /** It is closed, and goes on where it was when it is opened again. */
  hidden: boolean;
  triggers: readonly DocNode[];
  save: Save;
  onClose: () => void;
}) {
  const [name, setName] = useState(triggers[0]?.name ?? '');
  const trigger = triggers.find((one) => one.name === name) ?? triggers[0];
  if (!trigger) return null;
  return (
    <section className={classes.panel} aria-label={t('Chat with the workflow')} hidden={hidden}>
      <Group justify="space-between" wrap="nowrap" className={classes.head}>
        <Title order={2} size="h3">
          {t('Chat')}
        </Title>
        {triggers.length > 1 && (
          <Select
            aria-label={t('Chat Trigger')}
            size="xs"
            data={triggers.map((one) => one.name)}
            value={trigger.name}
            onChange={(next) => setName(next ?? '')}
            allowDeselect={false}
          />
        )}
        <ActionIcon onClick={onClose} aria-label={t('Close the chat')}>
          <IconX size={16} />
        </ActionIcon>
      </Group>
      <Talk key={trigger.name} trigger={trigger} save={save} />
    </section>
  );
}

function Talk({ trigger, save }: { trigger: DocNode; save: Save }) {
  const workflow = useEditor((state) => state.id);
  const live = useLiveRun();
  const talk = useConversation(workflow, pathOf(trigger), isStreaming(trigger));
  const [text, setText] = useState('');
  const [login, setLogin] = useState<Login>({ user: '', password: '' });
  const asksLogin = parametersOf(trigger).authentication === 'basicAuth';
  const foot = useRef<HTMLDivElement>(null);
  const { messages, busy } = talk;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was said last is what is read
  useEffect(() => {
    foot.current?.scrollIntoView({ block: 'end' });
  }, [messages, live.execution]);
  const calls = busy || !live.id ? [] : callsOf(live.execution);

  const submit = async () => {
    const said = text.trim();
    if (!said || busy || !(await save.save())) return;
    setText('');
    live.clear();
    live.listen(true);
    if (await talk.say(said, asksLogin ? login : undefined)) live.settle();
    else live.listen(false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void submit();
  };
  return (
    <>
      <ol className={classes.messages} aria-label={t('Messages')} aria-live="polite" aria-busy={busy}>
        {greetings(trigger).map((line, at) => (
          <li key={at} className={classes.workflow}>
            <Markdown text={line} />
          </li>
        ))}
        {messages.map(({ id, by, text: said, failed, execution }) => (
          <li key={id} className={classes[by]} data-failed={failed || undefined}>
            {by === 'workflow' ? <Markdown text={said} /> : said}
            {execution && hasArea('executions') && (
              <Anchor component={Link} to={`${areaPath('executions')}/${segment(execution)}`} size="sm">
                {t('Open the execution')}
              </Anchor>
            )}
          </li>
        ))}
        {busy && (
          <li>
            <Text size="sm" c="dimmed">
              {t('The workflow is at work')}
            </Text>
          </li>
        )}
        {calls.map(({ key, tool, input, result }) => (
          <li key={key}>
            <details className={classes.call}>
              <summary>{rich('Used {tool}', { tool: <span className="jf-mono">{tool}</span> })}</summary>
              <pre
                className="jf-mono"
                tabIndex={0}
                role="group"
                aria-label={t('Input and result')}
              >{`${input}\n\n${result}`}</pre>
            </details>
          </li>
        ))}
        <div ref={foot} />
      </ol>
      <div className={classes.composer}>
        {asksLogin && <LoginFields login={login} onChange={setLogin} />}
        <Textarea
          aria-label={t('Message')}
          placeholder={t('Say something to the workflow')}
          autosize
          minRows={2}
          maxRows={8}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          autoFocus
        />
        <Group justify="space-between" mt="xs">
          <Button
            variant="subtle"
            size="xs"
            leftSection={<IconRefresh size={14} aria-hidden="true" />}
            onClick={talk.restart}
          >
            {t('New session')}
          </Button>
          {busy ? (
            <Button variant="default" size="xs" onClick={talk.stop}>
              {t('Stop waiting')}
            </Button>
          ) : (
            <Button size="xs" disabled={!text.trim()} onClick={() => void submit()}>
              {t('Send')}
            </Button>
          )}
        </Group>
      </div>
    </>
  );
}

/** A chat with a login asks for it here: the browser's own prompt would ask once, and for all pages. */
function LoginFields({ login, onChange }: { login: Login; onChange: (login: Login) => void }) {
  return (
    <Group grow mb="xs" align="end" role="group" aria-label={t('Login of the chat')}>
      <TextInput
        label={t('User name')}
        size="xs"
        autoComplete="off"
        value={login.user}
        onChange={(event) => onChange({ ...login, user: event.currentTarget.value })}
      />
      <PasswordInput
        label={t('Password')}
        size="xs"
        autoComplete="off"
        value={login.password}
        onChange={(event) => onChange({ ...login, password: event.currentTarget.value })}
      />
    </Group>
  );
}

function isStreaming(trigger: DocNode): boolean {
  const { options, responseMode } = parametersOf(trigger);
  return (isRecord(options) ? (options.responseMode ?? responseMode) : responseMode) === 'streaming';
}

function greetings(trigger: DocNode): string[] {
  const { initialMessages } = parametersOf(trigger);
  return typeof initialMessages === 'string' ? initialMessages.split('\n').filter((line) => line.trim()) : [];
}

interface Call {
  key: string;
  tool: string;
  input: string;
  result: string;
}

/** What the agents of an execution have called. */
function callsOf(execution: Execution | undefined): Call[] {
  return Object.entries(execution?.nodes ?? {}).flatMap(([name, runs]) =>
    runs
      .flatMap(({ toolCalls }) => toolCalls ?? [])
      .map(({ tool, input, result }, at) => ({ key: `${name} ${at}`, tool, input, result })),
  );
}
