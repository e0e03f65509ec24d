import { Text } from '@mantine/core';
import type { ChatMessage, Schemas } from '../../api/types';
import { t } from '../../language/messages';
import { Markdown } from '../markdown/Markdown';
import classes from './agentChat.module.css';
import { Permission } from './Permission';

/** One message. An agent writes Markdown; whatever else it writes is text. */
export function Message({ session, shown, mayAnswer }: { session: string; shown: ChatMessage; mayAnswer: boolean }) {
  const { message } = shown;
  switch (message.type) {
    case 'user':
      return <div className={`${classes.user} ${classes.text}`}>{message.text}</div>;
    case 'text':
      return <Markdown text={message.text} />;
    case 'thinking':
      return (
        <Text component="div" c="dimmed" size="sm" className={classes.text}>
          {message.text}
        </Text>
      );
    case 'tool_call':
      return <ToolCall message={message} />;
    case 'tool_result':
      return message.output || message.failed ? <ToolResult message={message} /> : null;
    case 'permission':
      return <Permission session={session} asked={message} mayAnswer={mayAnswer} />;
    case 'error':
      return (
        <Text component="div" c="var(--jf-bad)" className={classes.text}>
          {message.text}
        </Text>
      );
    case 'turn_end':
      return message.reason === 'completed' ? null : (
        <Text c="dimmed" size="sm">
          {message.reason === 'interrupted' ? t('Interrupted') : t('Failed ({detail})', { detail: message.detail })}
        </Text>
      );
    case 'usage':
      return (
        <Text c="dimmed" size="xs">
          {t('{inputTokens} tokens in, {outputTokens} out', {
            inputTokens: message.input_tokens ?? '?',
            outputTokens: message.output_tokens ?? '?',
          })}
        </Text>
      );
    default:
      return (
        <Text c="dimmed" className={classes.text}>
          {t('The agent has ended ({exitCode}). {text}', { exitCode: message.exit_code, text: message.text })}
        </Text>
      );
  }
}

function ToolCall({ message }: { message: Schemas['ToolCalled'] }) {
  return (
    <details className={classes.block}>
      <summary>
        <span className="jf-mono">{message.tool}</span> {message.title}
      </summary>
      <pre className={`${classes.output} jf-mono`} tabIndex={0} role="group" aria-label={t('Input')}>
        {JSON.stringify(message.input, null, 2)}
      </pre>
    </details>
  );
}

function ToolResult({ message }: { message: Schemas['ToolAnswered'] }) {
  return (
    <details className={classes.block}>
      <summary>{message.failed ? t('Failed or refused') : t('Result')}</summary>
      <pre className={`${classes.output} jf-mono`} tabIndex={0} role="group" aria-label={t('Result')}>
        {message.output}
      </pre>
    </details>
  );
}
