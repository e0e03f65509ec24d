import { Text } from '@mantine/core';
import type { ChatMessage, Schemas } from '../../api/types';
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
          {message.reason === 'interrupted' ? 'Interrupted' : `Failed (${message.detail})`}
        </Text>
      );
    case 'usage':
      return (
        <Text c="dimmed" size="xs">
          {message.input_tokens ?? '?'} tokens in, {message.output_tokens ?? '?'} out
        </Text>
      );
    default:
      return (
        <Text c="dimmed" className={classes.text}>
          The agent has ended ({message.exit_code}). {message.text}
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
      <pre className={`${classes.output} jf-mono`} tabIndex={0} role="group" aria-label="Input">
        {JSON.stringify(message.input, null, 2)}
      </pre>
    </details>
  );
}

function ToolResult({ message }: { message: Schemas['ToolAnswered'] }) {
  return (
    <details className={classes.block}>
      <summary>{message.failed ? 'Failed or refused' : 'Result'}</summary>
      <pre className={`${classes.output} jf-mono`} tabIndex={0} role="group" aria-label="Result">
        {message.output}
      </pre>
    </details>
  );
}
