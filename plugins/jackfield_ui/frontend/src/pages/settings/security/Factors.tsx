import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, data } from '../../../api/client';
import { AuthenticatorSetup } from '../../../app/entry/AuthenticatorSetup';
import { RecoveryCodes } from '../../../app/entry/RecoveryCodes';
import { session } from '../../../app/session';
import { confirm } from '../../../components/confirm';
import { Failure } from '../../../components/Failure';
import { Modal } from '../../../components/Modal';
import { notifyError } from '../../../components/notify';
import { t } from '../../../language/messages';
import { Section } from '../Section';
import { useOwnFactors, useReread } from './queries';

/** The authenticator app and the recovery codes. */
export function Factors() {
  const found = useOwnFactors();
  const reread = useReread();
  const [setup, setSetup] = useState(false);
  const [codes, setCodes] = useState<readonly string[]>();
  const close = () => {
    setSetup(false);
    setCodes(undefined);
    reread();
  };
  const { mutate: remove } = useMutation({
    mutationFn: () => data(api.DELETE('/api/session/factors/totp', {})),
    onSuccess: reread,
    onError: (error) => notifyError(error, t('The authenticator app cannot be removed')),
  });
  const { mutate: renew } = useMutation({
    mutationFn: () => data(api.POST('/api/session/factors/recovery-codes', {})),
    onSuccess: ({ recovery_codes }) => setCodes(recovery_codes),
    onError: (error) => notifyError(error, t('There are no new recovery codes')),
  });
  const askToRemove = async () => {
    const body = t('From then on your password alone lets you in, unless you have a passkey. Your other sessions end.');
    if (await confirm({ title: t('Remove your authenticator app?'), body, action: t('Remove') })) remove();
  };
  if (found.error) return <Failure error={found.error} onRetry={() => void found.refetch()} />;
  const { factors = [], recovery_codes: left = 0, fresh = true, demanded = false } = found.data ?? {};
  const app = factors.includes('totp');
  return (
    <Section
      title={t('Second factor')}
      about={t('A second factor protects your account when somebody learns your password.')}
      action={
        app ? (
          <Button variant="default" disabled={!fresh} onClick={() => void askToRemove()}>
            {t('Remove the authenticator app')}
          </Button>
        ) : (
          <Button disabled={!fresh} loading={found.isPending} onClick={() => setSetup(true)}>
            {t('Set up an authenticator app')}
          </Button>
        )
      }
    >
      <Stack gap="sm" align="flex-start">
        {!fresh && <LogInAgain />}
        <Group gap="sm">
          <Text>{t('Authenticator app')}</Text>
          <Badge variant="light" color={app ? 'teal' : 'gray'}>
            {app ? t('Set up') : t('Not set up')}
          </Badge>
          {demanded && <Text c="dimmed">{t('Your role needs a second factor.')}</Text>}
        </Group>
        {factors.length > 0 && (
          <Group gap="sm">
            <Text>{t('Recovery codes left: {left}', { left })}</Text>
            <Button size="xs" variant="default" disabled={!fresh} onClick={() => renew()}>
              {t('Create new recovery codes')}
            </Button>
          </Group>
        )}
      </Stack>
      <Modal
        opened={setup || codes !== undefined}
        onClose={close}
        title={codes ? t('Recovery codes') : t('Set up an authenticator app')}
        closeOnClickOutside={!codes}
      >
        {codes ? <RecoveryCodes codes={codes} onDone={close} /> : <AuthenticatorSetup onDone={setCodes} />}
      </Modal>
    </Section>
  );
}

/** Changes need a login of the last minutes. */
export function LogInAgain() {
  return (
    <Group gap="sm">
      <Text c="dimmed">{t('Your login is too old to change this.')}</Text>
      <Button size="xs" variant="default" onClick={() => void session.logOut()}>
        {t('Log in again')}
      </Button>
    </Group>
  );
}
