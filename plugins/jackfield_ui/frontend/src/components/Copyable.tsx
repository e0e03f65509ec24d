import { ActionIcon, Group, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import type { ReactNode } from 'react';

/** A text with a button that copies it. `label` says what it is: 'the webhook’s URL'. `children` is shown in its place. */
export function Copyable({ text, label, children }: { text: string; label: string; children?: ReactNode }) {
  return (
    <Group gap="xs" wrap="nowrap" maw="100%" display="inline-flex">
      <span className="jf-mono jf-ellipsis" title={children ? undefined : text}>
        {children ?? text}
      </span>
      <CopyIcon text={text} label={label} />
    </Group>
  );
}

/** `text` may be a function, for what is dear to write out. */
export function CopyIcon({ text, label }: { text: string | (() => string); label: string }) {
  const { copied, copy } = useClipboard({ timeout: 1_500 });
  return (
    <Tooltip label={copied ? 'Copied' : `Copy ${label}`}>
      <ActionIcon
        size="sm"
        onClick={() => copy(typeof text === 'function' ? text() : text)}
        aria-label={copied ? 'Copied' : `Copy ${label}`}
      >
        {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
      </ActionIcon>
    </Tooltip>
  );
}
