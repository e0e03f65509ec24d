import { Tooltip } from '@mantine/core';
import { IconPlayerRecordFilled } from '@tabler/icons-react';
import type { Schemas } from '../../api/types';
import { bytes } from '../../components/format';

/** That the session is being recorded. */
export function Recording({ recording }: { recording: Schemas['RecordingOut'] | undefined }) {
  if (recording?.state !== 'recording') return null;
  return (
    <Tooltip label={`Recording, ${bytes(recording.bytes)} so far`}>
      <IconPlayerRecordFilled size={14} color="var(--jf-bad)" aria-label="Recording" role="img" />
    </Tooltip>
  );
}
