import { Alert, Button, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, data } from '../../api/client';
import { messageOf } from '../../api/errors';
import { t } from '../../language/messages';
import { createPasskey, hasPasskeys, passkeyProblem } from './passkeys';

const PATH = '/api/session/passkeys';

/** Makes a passkey. onDone: with new recovery codes. */
export function PasskeySetup({ onDone }: { onDone: (codes: readonly string[]) => void }) {
  const [name, setName] = useState('');
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () => {
      const { options } = await data(api.POST(PATH, {}));
      const credential = await createPasskey(options).catch((problem: unknown) => {
        throw passkeyProblem(problem);
      });
      return data(api.PUT(PATH, { body: { name: name.trim() || t('Passkey'), credential } }));
    },
    onSuccess: ({ recovery_codes }) => onDone(recovery_codes),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  if (!hasPasskeys())
    return <Text>{t('This browser has no passkeys here. Open Jackfield over https, or at localhost.')}</Text>;
  return (
    <form onSubmit={submit}>
      <Stack>
        {error && (
          <Alert color="red" role="alert">
            {messageOf(error)}
          </Alert>
        )}
        <Text>{t('A passkey logs you in with your device’s screen lock, without a password.')}</Text>
        <TextInput
          label={t('Name of the passkey')}
          description={t('Such as the device that keeps it')}
          value={name}
          maxLength={60}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" loading={isPending}>
          {t('Create a passkey')}
        </Button>
      </Stack>
    </form>
  );
}
