import { Alert, Button, Image, Loader, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, data } from '../../api/client';
import { messageOf } from '../../api/errors';
import { Copyable } from '../../components/Copyable';
import { t } from '../../language/messages';

const PATH = '/api/session/factors/totp';

/** Shows the secret of a new authenticator app, and asks for its first code. onDone: with new recovery codes. */
export function AuthenticatorSetup({ onDone }: { onDone: (codes: readonly string[]) => void }) {
  const [code, setCode] = useState('');
  const begun = useQuery({
    queryKey: ['authenticator-setup'],
    queryFn: () => data(api.POST(PATH, {})),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => data(api.PUT(PATH, { body: { code } })),
    onSuccess: ({ recovery_codes }) => onDone(recovery_codes),
    onError: () => setCode(''),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  const problem = begun.error ?? error;
  return (
    <form onSubmit={submit}>
      <Stack>
        {problem && (
          <Alert color="red" role="alert">
            {messageOf(problem)}
          </Alert>
        )}
        {begun.isPending && <Loader aria-label={t('Creating a secret')} />}
        {begun.data && (
          <>
            <Text>{t('Scan this picture with an authenticator app, or type the secret into it.')}</Text>
            <Image
              src={`data:image/svg+xml,${encodeURIComponent(begun.data.picture)}`}
              alt={t('QR code of the secret')}
              w={220}
              mx="auto"
            />
            <div data-testid="totp-secret">
              <Copyable text={begun.data.secret} label={t('the secret')} />
            </div>
            <TextInput
              label={t('Code that the app shows')}
              inputMode="numeric"
              autoComplete="one-time-code"
              required
              value={code}
              onChange={(event) => setCode(event.currentTarget.value)}
            />
            <Button type="submit" loading={isPending}>
              {t('Confirm')}
            </Button>
          </>
        )}
      </Stack>
    </form>
  );
}
