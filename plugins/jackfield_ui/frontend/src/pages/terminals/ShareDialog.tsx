import { Alert, Button, Group, Select, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, data } from '../../api/client';
import { messageOf } from '../../api/errors';
import { Copyable } from '../../components/Copyable';
import { moment } from '../../components/format';
import { Modal } from '../../components/Modal';
import { notifyError } from '../../components/notify';
import { IconAlertTriangle } from '../../icons/drawn';
import { t } from '../../language/messages';
import { ofSession } from './queries';

const LASTS = [
  { value: '900', label: t('15 minutes') },
  { value: '3600', label: t('1 hour') },
  { value: '28800', label: t('8 hours') },
  { value: '86400', label: t('1 day') },
  { value: '604800', label: t('7 days') },
];

/** A link with which others can look, without a login and without typing. */
const SHARE = '/api/terminal/sessions/{session_id}/share';

export function ShareDialog({
  id,
  name,
  onClose,
  onEnded,
}: {
  id: string;
  name: string;
  onClose: () => void;
  onEnded: () => void;
}) {
  const [lasts, setLasts] = useState<string | null>('3600');
  const share = useMutation({
    mutationFn: () => data(api.POST(SHARE, { ...ofSession(id), body: { expires_in: Number(lasts) } })),
  });
  const end = useMutation({
    mutationFn: () => api.DELETE(SHARE, ofSession(id)),
    onSuccess: () => {
      onEnded();
      onClose();
    },
    onError: (error) => notifyError(error),
  });
  return (
    <Modal opened onClose={onClose} title={t('Share “{name}”', { name })}>
      <Stack>
        <Text>
          {t(
            'Everybody with the link sees the session and its earlier output, even without a login. The link lets nobody type.',
          )}
        </Text>
        {share.data ? (
          <>
            <Copyable text={share.data.url} label={t('the link')} />
            <Text size="sm" c="dimmed">
              {t('Until {value}. The link is shown this once.', { value: moment(new Date(share.data.expires_at)) })}
            </Text>
          </>
        ) : (
          <Select label={t('It lasts')} data={LASTS} value={lasts} onChange={setLasts} allowDeselect={false} />
        )}
        {share.error && (
          <Alert color="red" icon={<IconAlertTriangle />} role="alert">
            {messageOf(share.error)}
          </Alert>
        )}
        <Group justify="space-between" gap="sm">
          <Button variant="default" loading={end.isPending} onClick={() => end.mutate()}>
            {t('End all links')}
          </Button>
          {share.data ? (
            <Button onClick={onClose}>{t('Done')}</Button>
          ) : (
            <Button loading={share.isPending} onClick={() => share.mutate()}>
              {t('Create a link')}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}
