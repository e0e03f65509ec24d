import {
  Alert,
  Anchor,
  Button,
  Center,
  Divider,
  NativeSelect,
  Paper,
  PasswordInput,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { type FormEvent, lazy, Suspense, useState } from 'react';
import { Navigate, useSearchParams } from 'react-router';
import { ApiError, messageOf } from '../api/errors';
import { LanguageLinks } from '../language/LanguageLinks';
import { rich, t } from '../language/messages';
import { Logo } from './Logo';
import { OfflineBanner } from './OfflineBanner';
import { safeNext } from './safeNext';
import { type Credentials, session, useSession } from './session';
import { useTitle } from './title';

const SecondStep = lazy(() => import('./entry/SecondStep'));
const PasskeyLogin = lazy(() => import('./entry/PasskeyLogin'));
const Forgotten = lazy(() => import('./entry/Forgotten'));

export function LoginPage() {
  useTitle(t('Log in'));
  return (
    <>
      <OfflineBanner />
      <Center component="main" mih="90vh" p="md">
        <Stack w="100%" maw={360} gap="lg">
          <Stack align="center" gap="sm">
            <Logo size={40} />
            <Title order={1}>{t('Log in to Jackfield')}</Title>
          </Stack>
          <Paper p="lg">
            <LoginForm />
          </Paper>
          <LanguageLinks />
        </Stack>
      </Center>
    </>
  );
}

/** `/ui/login?next=...` for who is logged in already. */
export function LoginRoute() {
  const [search] = useSearchParams();
  return <Navigate to={safeNext(search.get('next'), location.origin)} replace />;
}

export function LoginForm({ hint, username: known = '' }: { hint?: string; username?: string | undefined }) {
  const { info, problem } = useSession();
  const [username, setUsername] = useState(known === 'owner' ? '' : known);
  const [password, setPassword] = useState('');
  const [chosen, setChosen] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [forgotten, setForgotten] = useState(false);
  const [error, setError] = useState<string | undefined>(problem);

  const logins = info?.logins ?? [];
  const passwords = logins.filter((login) => login.kind === 'password');
  const redirects = logins.filter((login) => login.kind === 'redirect');
  const provider = chosen ?? passwords[0]?.name ?? 'local';
  // Without an answer of the daemon the form stays: it may come back.
  const takesPasswords = passwords.length > 0 || !info;

  const attempt = async (work: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (failure) {
      setError(explain(failure));
      setPassword('');
    } finally {
      setBusy(false);
    }
  };
  const enter = (credentials: Credentials) => attempt(() => session.logIn(credentials));
  const step = info?.step;
  if (step) {
    return (
      <Suspense>
        <SecondStep step={step} />
      </Suspense>
    );
  }
  if (forgotten) {
    return (
      <Suspense>
        <Forgotten known={username} onBack={() => setForgotten(false)} />
      </Suspense>
    );
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void enter(provider === 'local' ? { username, password } : { username, password, provider });
  };

  return (
    <form onSubmit={submit}>
      <Stack>
        {hint && <Text c="dimmed">{hint}</Text>}
        {error && (
          <Alert color="red" role="alert">
            {error}
          </Alert>
        )}
        {info?.owner_available && (
          <>
            <Button loading={busy} onClick={() => void enter({})}>
              {t('Continue as owner')}
            </Button>
            <Divider label={t('or')} />
          </>
        )}
        {redirects.map((login) => (
          <Button
            key={login.name}
            variant="default"
            loading={busy}
            onClick={() => void attempt(() => session.leaveFor(login.name))}
          >
            {login.title}
          </Button>
        ))}
        {redirects.length > 0 && takesPasswords && <Divider label={t('or')} />}
        {passwords.length > 1 && (
          <NativeSelect
            label={t('Log in with')}
            data={passwords.map((login) => ({ value: login.name, label: login.title }))}
            value={provider}
            onChange={(event) => setChosen(event.currentTarget.value)}
          />
        )}
        {takesPasswords && (
          <>
            <TextInput
              label={t('User name')}
              autoComplete="username"
              required
              value={username}
              onChange={(event) => setUsername(event.currentTarget.value)}
            />
            <PasswordInput
              label={t('Password')}
              autoComplete="current-password"
              required
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
            />
            <Button type="submit" variant={info?.owner_available ? 'default' : 'filled'} loading={busy}>
              {t('Log in')}
            </Button>
            {info?.forgotten && provider === 'local' && (
              <Anchor component="button" type="button" size="sm" onClick={() => setForgotten(true)}>
                {t('Forgot your password?')}
              </Anchor>
            )}
          </>
        )}
        <Suspense>
          <PasskeyLogin busy={busy} attempt={attempt} />
        </Suspense>
        <Text size="sm" c="dimmed">
          {rich('On the computer that runs Jackfield, {command} opens this page without a password.', {
            command: <span className="jf-mono">jackfield open</span>,
          })}
        </Text>
      </Stack>
    </form>
  );
}

function explain(error: unknown): string {
  if (error instanceof ApiError && error.retryAfter)
    return t('{message} Try again in {retryAfter} seconds.', {
      message: messageOf(error),
      retryAfter: error.retryAfter,
    });
  return messageOf(error);
}
