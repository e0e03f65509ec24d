import { Button } from '@mantine/core';
import { api, data } from '../../api/client';
import { t } from '../../language/messages';
import { session } from '../session';
import { hasPasskeys, passkeyProblem, signWithPasskey } from './passkeys';

/** Logs in without a name and a password. attempt: shows what fails. */
export default function PasskeyLogin({
  busy,
  attempt,
}: {
  busy: boolean;
  attempt: (work: () => Promise<void>) => Promise<void>;
}) {
  if (!hasPasskeys()) return null;
  const enter = async () => {
    const { options } = await data(api.POST('/api/session/passkey', {}));
    const passkey = await signWithPasskey(options).catch((error: unknown) => {
      throw passkeyProblem(error);
    });
    await session.logIn({ passkey });
  };
  return (
    <Button variant="default" loading={busy} onClick={() => void attempt(enter)}>
      {t('Log in with a passkey')}
    </Button>
  );
}
