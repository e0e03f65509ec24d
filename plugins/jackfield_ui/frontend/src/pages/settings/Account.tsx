import {
  Button,
  Group,
  Paper,
  PasswordInput,
  SegmentedControl,
  Stack,
  Text,
  Title,
  useMantineColorScheme,
} from '@mantine/core';
import { api } from '../../api/client';
import { session, useSession } from '../../app/session';
import classes from '../../components/blocks.module.css';
import { notifyDone, notifyError } from '../../components/notify';
import { useSending } from '../../components/useSending';
import { RelativeTime } from '../../components/values';
import { rich, t } from '../../language/messages';
import { Unexplained } from './FormParts';
import { OwnMail } from './OwnMail';

const ROLES: Record<string, string> = {
  viewer: t('viewer: reads everything, changes nothing'),
  member: t('member: reads, changes and runs workflows and agents'),
  admin: t('administrator: may do everything, and manages users'),
};

/** Oneself: the session, the password, and how the pages look. */
export function Account() {
  const { info } = useSession();
  const owner = info?.kind === 'owner';
  return (
    <Stack gap="lg" maw={640}>
      <Paper p="md" component="section" aria-label={t('Session')}>
        <Title order={2} mb="sm">
          {t('Session')}
        </Title>
        <dl className={classes.facts}>
          <dt>{t('You are')}</dt>
          <dd>{owner ? t('the user of this computer who runs Jackfield') : info?.user?.username}</dd>
          <dt>{t('Role')}</dt>
          <dd>{ROLES[info?.user?.role ?? ''] ?? info?.user?.role}</dd>
          <dt>{t('Logged in')}</dt>
          <dd>
            <RelativeTime time={info?.created_at} />
          </dd>
          <dt>{t('Ends')}</dt>
          <dd>
            <RelativeTime time={info?.expires_at} never={t('when you log out')} />
            {info?.idle_expires_at && (
              <>
                {', '}
                {rich('without use {time}', { time: <RelativeTime time={info.idle_expires_at} /> })}
              </>
            )}
          </dd>
        </dl>
        <Button variant="default" mt="md" onClick={() => void session.logOut().catch(notifyError)}>
          {t('Log out')}
        </Button>
      </Paper>
      <Appearance />
      {owner ? <OwnersLimits /> : <Password />}
      {!owner && <OwnMail />}
    </Stack>
  );
}

function OwnersLimits() {
  return (
    <Paper p="md" component="section" aria-label={t('Password')}>
      <Title order={2} mb="xs">
        {t('Password')}
      </Title>
      <Text c="dimmed">
        {t(
          'You came in without a password, because this browser runs on the daemon’s own computer under its own user. There is no password to change, and API keys belong to users: to make one, add a user and log in as that user.',
        )}
      </Text>
    </Paper>
  );
}

function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Paper p="md" component="section" aria-label={t('Appearance')}>
      <Title order={2} mb="sm">
        {t('Appearance')}
      </Title>
      <Group gap="md">
        <SegmentedControl
          aria-label={t('Colours')}
          value={colorScheme}
          onChange={(next) => setColorScheme(next as typeof colorScheme)}
          data={[
            { value: 'light', label: t('Light') },
            { value: 'dark', label: t('Dark') },
            { value: 'auto', label: t('As the system') },
          ]}
        />
      </Group>
    </Paper>
  );
}

const SHORTEST = 12;

function Password() {
  const { form, error, busy, submit } = useSending({
    initial: { current: '', next: '', repeated: '' },
    validate: { repeated: (repeated, { next }) => (repeated === next ? null : t('The two passwords differ.')) },
    send: ({ current, next }) => api.POST('/api/v1/auth/password', { body: { current, new: next } }),
    onSent: async () => {
      form.reset();
      notifyDone(t('Your password is changed. Log in with the new one.'));
      await session.renew();
    },
    namedAs: { new: 'next', password: 'next' },
  });
  return (
    <Paper p="md" component="section" aria-label={t('Password')}>
      <Title order={2} mb="xs">
        {t('Password')}
      </Title>
      <Text c="dimmed" size="sm" mb="md">
        {t('Changing it ends all your sessions and tokens, this one too. API keys stay.')}
      </Text>
      <form onSubmit={submit}>
        <Stack>
          <Unexplained error={error} />
          <PasswordInput
            label={t('Current password')}
            autoComplete="current-password"
            required
            {...form.getInputProps('current')}
          />
          <PasswordInput
            label={t('New password')}
            description={t('At least {shortest} characters', { shortest: SHORTEST })}
            autoComplete="new-password"
            required
            minLength={SHORTEST}
            {...form.getInputProps('next')}
          />
          <PasswordInput
            label={t('Repeat the new password')}
            autoComplete="new-password"
            required
            {...form.getInputProps('repeated')}
          />
          <Group>
            <Button type="submit" loading={busy}>
              {t('Change the password')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}
