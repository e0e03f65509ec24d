import { Button, Group, Paper, Stack, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api, data } from '../../api/client';
import { notifyDone } from '../../components/notify';
import { useSending } from '../../components/useSending';
import { t } from '../../language/messages';
import { MailField, Unexplained } from './FormParts';

const PATH = '/api/session/mail';
const KEY = ['own-mail'];

/** Where mails about one's own account go. */
export function OwnMail() {
  const { data: own } = useQuery({ queryKey: KEY, queryFn: ({ signal }) => data(api.GET(PATH, { signal })) });
  return own ? <Form key={own.mail} mail={own.mail ?? ''} /> : null;
}

function Form({ mail }: { mail: string }) {
  const client = useQueryClient();
  const { form, error, busy, submit } = useSending({
    initial: { mail },
    send: (filled) => data(api.PUT(PATH, { body: filled })),
    onSent: (now) => {
      client.setQueryData(KEY, now);
      notifyDone(t('Your mail address is set.'));
    },
  });
  return (
    <Paper p="md" component="section" aria-label={t('Mail address')}>
      <Title order={2} mb="xs">
        {t('Mail address')}
      </Title>
      <form onSubmit={submit}>
        <Stack>
          <Unexplained error={error} />
          <MailField autoComplete="email" {...form.getInputProps('mail')} />
          <Group>
            <Button type="submit" loading={busy}>
              {t('Set the address')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}
