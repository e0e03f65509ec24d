import { Button, Group, Paper, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, body } from '../../api/client';
import { notifyDone } from '../../components/notify';
import { useSending } from '../../components/useSending';
import { t } from '../../language/messages';
import { Unexplained } from './FormParts';

/** Whether the daemon sends mail, and a mail that shows it. */
export function TestMail() {
  const { data: mail } = useQuery({
    queryKey: ['mail'],
    queryFn: ({ signal }) => body(api.GET('/api/v1/mail', { signal })),
  });
  const { form, error, busy, submit } = useSending({
    initial: { to: '' },
    send: (filled) => body(api.POST('/api/v1/mail/test', { body: filled })),
    onSent: ({ to }) => notifyDone(t('The mail server has accepted the test mail to {to}.', { to })),
  });
  if (!mail) return null;
  return (
    <Paper p="md" component="section" aria-label={t('Mail')}>
      <Title order={2} mb="xs">
        {t('Mail')}
      </Title>
      {mail.ready ? (
        <form onSubmit={submit}>
          <Text c="dimmed" size="sm" mb="sm">
            {t('Mails come from {sender}, through {host}.', { sender: mail.sender ?? '', host: mail.host ?? '' })}
          </Text>
          <Unexplained error={error} />
          <Group align="flex-end">
            <TextInput label={t('Address of the test mail')} type="email" required {...form.getInputProps('to')} />
            <Button type="submit" variant="default" loading={busy}>
              {t('Send a test mail')}
            </Button>
          </Group>
        </form>
      ) : (
        <Text c="dimmed" size="sm">
          {t('Jackfield sends no mail. Name a mail server in the settings, under [mail].')}
        </Text>
      )}
    </Paper>
  );
}
