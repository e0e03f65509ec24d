import { Tooltip } from '@mantine/core';
import type { Schemas } from '../../api/types';
import { bytes } from '../../components/format';
import { IconPlayerRecordFilled } from '../../icons/drawn';
import { t } from '../../language/messages';

/** That the session is being recorded. */
export function Recording({ recording }: { recording: Schemas['RecordingOut'] | undefined }) {
  if (recording?.state !== 'recording') return null;
  return (
    <Tooltip label={t('Recording, {bytes} so far', { bytes: bytes(recording.bytes) })}>
      <IconPlayerRecordFilled size={14} color="var(--jf-bad)" aria-label={t('Recording')} role="img" />
    </Tooltip>
  );
}
