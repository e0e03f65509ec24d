import { Tooltip } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { AttentionReason } from './queries';

/** A mark with the reasons why a live workflow, or one that is to be live, cannot start. Nothing when there are none. */
export function AttentionMark({ title, reasons }: { title: string; reasons: readonly AttentionReason[] | undefined }) {
  if (!reasons?.length) return null;
  const text = `${title}: ${reasons.map(({ message }) => message).join('\n')}`;
  return (
    <Tooltip label={text} multiline maw={420} style={{ whiteSpace: 'pre-line' }} withinPortal={false}>
      <span role="img" aria-label={text} style={{ display: 'inline-flex', color: 'var(--jf-warn)' }}>
        <IconAlertTriangle size={18} aria-hidden />
      </span>
    </Tooltip>
  );
}
