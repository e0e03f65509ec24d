import { Alert, Button, Center, Loader, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, data } from '../../api/client';
import { messageOf } from '../../api/errors';
import { createPasskey, hasPasskeys, passkeyProblem } from '../../app/entry/passkeys';
import { Logo } from '../../app/Logo';
import { useTitle } from '../../app/title';
import { t } from '../../language/messages';

const SHORTEST = 12;

/** `/ui/invitation#token=...`: for whoever has got a link that makes a user, or sets another password. */
export default function Invitation() {
  useTitle(t('Invitation'));
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get('token') ?? '');
  const told = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => data(api.POST('/api/session/links/read', { body: { token } })),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Center component="main" mih="90vh" p="md">
      <Stack w="100%" maw={380} gap="lg">
        <Stack align="center" gap="sm">
          <Logo size={40} />
          <Title order={1}>
            {told.data?.purpose === 'reset' ? t('Set a new password') : t('Welcome to Jackfield')}
          </Title>
        </Stack>
        <Paper p="lg">
          {told.isPending && <Loader aria-label={t('Reading the link')} />}
          {told.error && (
            <Alert color="red" role="alert">
              {messageOf(told.error)}
            </Alert>
          )}
          {told.data && <Acceptance token={token} reset={told.data.purpose === 'reset'} name={told.data.username} />}
        </Paper>
      </Stack>
    </Center>
  );
}

function Acceptance({ token, reset, name }: { token: string; reset: boolean; name: string | null }) {
  const [username, setUsername] = useState(name ?? '');
  const [password, setPassword] = useState('');
  const [repeated, setRepeated] = useState('');
  const enter = () => location.replace('/');
  const withPassword = useMutation({
    mutationFn: () => data(api.POST('/api/session/links', { body: { token, username, password, passkey_name: '' } })),
    onSuccess: enter,
  });
  const withPasskey = useMutation({
    mutationFn: async () => {
      const { options } = await data(api.POST('/api/session/links/passkey', { body: { token, username } }));
      const passkey = await createPasskey(options).catch((problem: unknown) => {
        throw passkeyProblem(problem);
      });
      const body = { token, username, passkey, passkey_name: 'Passkey' };
      return data(api.POST('/api/session/links', { body }));
    },
    onSuccess: enter,
  });
  const error = withPassword.error ?? withPasskey.error;
  const same = password === repeated;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    withPasskey.reset();
    if (same) withPassword.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {error && (
          <Alert color="red" role="alert">
            {messageOf(error)}
          </Alert>
        )}
        <TextInput
          label={t('User name')}
          autoComplete="username"
          required
          readOnly={reset}
          value={username}
          onChange={(event) => setUsername(event.currentTarget.value)}
        />
        <PasswordInput
          label={t('New password')}
          description={t('At least {shortest} characters', { shortest: SHORTEST })}
          autoComplete="new-password"
          minLength={SHORTEST}
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <PasswordInput
          label={t('Repeat the new password')}
          autoComplete="new-password"
          required
          error={same || !repeated ? undefined : t('The two passwords differ.')}
          value={repeated}
          onChange={(event) => setRepeated(event.currentTarget.value)}
        />
        <Button type="submit" loading={withPassword.isPending}>
          {reset ? t('Set the password') : t('Begin')}
        </Button>
        {!reset && hasPasskeys() && (
          <>
            <Text size="sm" c="dimmed">
              {t('You can use a passkey instead of a password. It needs only your user name.')}
            </Text>
            <Button
              variant="default"
              loading={withPasskey.isPending}
              disabled={!username.trim()}
              onClick={() => {
                withPassword.reset();
                withPasskey.mutate();
              }}
            >
              {t('Begin with a passkey')}
            </Button>
          </>
        )}
      </Stack>
    </form>
  );
}
