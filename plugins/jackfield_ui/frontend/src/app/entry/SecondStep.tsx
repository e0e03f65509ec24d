import { Alert, Button, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { api, data } from '../../api/client';
import { messageOf } from '../../api/errors';
import { t } from '../../language/messages';
import { type SessionInfo, session } from '../session';
import { AuthenticatorSetup } from './AuthenticatorSetup';
import { PasskeySetup } from './PasskeySetup';
import { passkeyProblem, signWithPasskey } from './passkeys';
import { RecoveryCodes } from './RecoveryCodes';

type Step = NonNullable<SessionInfo['step']>;

/** Behind the password: the second factor, or the setup of one. */
export default function SecondStep({ step }: { step: Step }) {
  return (
    <Stack>
      {step.has_to_set_up ? <FirstSetup /> : <Question step={step} />}
      <Button variant="subtle" onClick={() => void session.logOut()}>
        {t('Back to the login')}
      </Button>
    </Stack>
  );
}

function Question({ step: { choices } }: { step: Step }) {
  const [chosen, setChosen] = useState(choices[0]?.name ?? '');
  const [answer, setAnswer] = useState('');
  const [hint, setHint] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const others = choices.filter(({ name }) => name !== chosen);
  const title = choices.find(({ name }) => name === chosen)?.title ?? '';

  const attempt = async (work: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (problem) {
      setError(messageOf(problem));
      setAnswer('');
    } finally {
      setBusy(false);
    }
  };
  const ask = () => data(api.POST('/api/session/question', { body: { factor: chosen } }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void attempt(() => session.logIn({ factor: chosen, answer }));
  };
  const withPasskey = async () => {
    const { shown } = await ask();
    const signed = await signWithPasskey(shown.passkey).catch((problem: unknown) => {
      throw passkeyProblem(problem);
    });
    await session.logIn({ factor: chosen, answer: signed });
  };
  const choose = (name: string) => {
    setChosen(name);
    setAnswer('');
    setHint(undefined);
    setError(undefined);
  };
  const send = async () => {
    const { shown } = await ask();
    setHint(typeof shown.hint === 'string' ? shown.hint : t('The code is on its way.'));
  };

  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>{t('Your account has a second factor.')}</Text>
        {error && (
          <Alert color="red" role="alert">
            {error}
          </Alert>
        )}
        {chosen === 'passkey' ? (
          <Button loading={busy} onClick={() => void attempt(withPasskey)}>
            {t('Use your passkey')}
          </Button>
        ) : (
          <>
            {!OURS.has(chosen) && (
              <Button variant="default" onClick={() => void attempt(send)}>
                {t('Send a code')}
              </Button>
            )}
            <TextInput
              key={chosen}
              label={title}
              description={hint}
              autoComplete="one-time-code"
              inputMode={chosen === 'totp' ? 'numeric' : 'text'}
              required
              data-autofocus
              value={answer}
              onChange={(event) => setAnswer(event.currentTarget.value)}
            />
            <Button type="submit" loading={busy}>
              {t('Log in')}
            </Button>
          </>
        )}
        {others.map(({ name, title: other }) => (
          <Button key={name} variant="default" onClick={() => choose(name)}>
            {t('Use another way: {other}', { other })}
          </Button>
        ))}
      </Stack>
    </form>
  );
}

const OURS = new Set(['totp', 'recovery']);

function FirstSetup() {
  const [way, setWay] = useState<'app' | 'passkey'>();
  const [codes, setCodes] = useState<readonly string[]>();
  if (codes) return <RecoveryCodes codes={codes} onDone={() => void session.arrive()} />;
  if (way === 'app') return <AuthenticatorSetup onDone={setCodes} />;
  if (way === 'passkey') return <PasskeySetup onDone={setCodes} />;
  return (
    <Stack>
      <Text>{t('Your role needs a second factor. Set one up to come in.')}</Text>
      <Button onClick={() => setWay('app')}>{t('Set up an authenticator app')}</Button>
      <Button variant="default" onClick={() => setWay('passkey')}>
        {t('Create a passkey')}
      </Button>
    </Stack>
  );
}
