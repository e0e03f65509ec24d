import { ActionIcon, Group, Tooltip } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { IconCheck, IconCopy } from '../icons/drawn';
import { t } from '../language/messages';
import { copyText } from './clipboard';
import { notifyError } from './notify';

const SAID_FOR = 1_500;

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
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SAID_FOR);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    const done = await copyText(typeof text === 'function' ? text() : text);
    if (done) setCopied(true);
    else
      notifyError(
        new Error(t('The browser does not let this page use the clipboard; select the text.')),
        t('Not copied'),
      );
  };
  return (
    <Tooltip label={copied ? t('Copied') : t('Copy {label}', { label })}>
      <ActionIcon
        size="sm"
        onClick={() => void copy()}
        aria-label={copied ? t('Copied') : t('Copy {label}', { label })}
      >
        {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
      </ActionIcon>
    </Tooltip>
  );
}
