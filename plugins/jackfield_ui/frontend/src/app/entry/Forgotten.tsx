import { Alert, Anchor, Button, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, body } from '../../api/client';
import { messageOf } from '../../api/errors';
import { t } from '../../language/messages';

/** Asks for a mail with a link for another password. Nobody learns here whether there is such a user. */
export default function Forgotten({ known, onBack }: { known: string; onBack: () => void }) {
  const [username, setUsername] = useState(known);
  const language = document.documentElement.lang === 'de' ? 'de' : 'en';
  const asking = useMutation({
    mutationFn: () => body(api.POST('/api/session/forgotten', { body: { username, language } })),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    asking.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {asking.error && (
          <Alert color="red" role="alert">
            {messageOf(asking.error)}
          </Alert>
        )}
        {asking.isSuccess ? (
          <Text role="status">
            {t('If there is such a user with a mail address, a mail with a link is on its way. Look at your mail.')}
          </Text>
        ) : (
          <>
            <TextInput
              label={t('User name or mail address')}
              autoComplete="username"
              required
              data-autofocus
              value={username}
              onChange={(event) => setUsername(event.currentTarget.value)}
            />
            <Button type="submit" loading={asking.isPending}>
              {t('Send me a link')}
            </Button>
          </>
        )}
        <Anchor component="button" type="button" size="sm" onClick={onBack}>
          {t('Back to the login')}
        </Anchor>
      </Stack>
    </form>
  );
}
