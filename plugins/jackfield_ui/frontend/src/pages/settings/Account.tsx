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
import { Unexplained } from './FormParts';

const ROLES: Record<string, string> = {
  viewer: 'viewer: reads everything, changes nothing',
  member: 'member: reads, changes and runs workflows and agents',
  admin: 'administrator: may do everything, and manages users',
};

/** Oneself: the session, the password, and how the pages look. */
export function Account() {
  const { info } = useSession();
  const owner = info?.kind === 'owner';
  return (
    <Stack gap="lg" maw={640}>
      <Paper p="md" component="section" aria-label="Session">
        <Title order={2} mb="sm">
          Session
        </Title>
        <dl className={classes.facts}>
          <dt>You are</dt>
          <dd>{owner ? 'the user of this computer who runs Jackfield' : info?.user?.username}</dd>
          <dt>Role</dt>
          <dd>{ROLES[info?.user?.role ?? ''] ?? info?.user?.role}</dd>
          <dt>Logged in</dt>
          <dd>
            <RelativeTime time={info?.created_at} />
          </dd>
          <dt>Ends</dt>
          <dd>
            <RelativeTime time={info?.expires_at} never="when you log out" />
            {info?.idle_expires_at && (
              <>
                , without use <RelativeTime time={info.idle_expires_at} />
              </>
            )}
          </dd>
        </dl>
        <Button variant="default" mt="md" onClick={() => void session.logOut().catch(notifyError)}>
          Log out
        </Button>
      </Paper>
      <Appearance />
      {owner ? <OwnersLimits /> : <Password />}
    </Stack>
  );
}

function OwnersLimits() {
  return (
    <Paper p="md" component="section" aria-label="Password">
      <Title order={2} mb="xs">
        Password
      </Title>
      <Text c="dimmed">
        You came in without a password, because this browser runs on the daemon’s own computer under its own user. There
        is no password to change, and API keys belong to users: to make one, add a user and log in as that user.
      </Text>
    </Paper>
  );
}

function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Paper p="md" component="section" aria-label="Appearance">
      <Title order={2} mb="sm">
        Appearance
      </Title>
      <Group gap="md">
        <SegmentedControl
          aria-label="Colours"
          value={colorScheme}
          onChange={(next) => setColorScheme(next as typeof colorScheme)}
          data={[
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
            { value: 'auto', label: 'As the system' },
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
    validate: { repeated: (repeated, { next }) => (repeated === next ? null : 'This is not the same.') },
    send: ({ current, next }) => api.POST('/api/v1/auth/password', { body: { current, new: next } }),
    onSent: async () => {
      form.reset();
      notifyDone('Your password is changed. Log in with the new one.');
      await session.renew();
    },
    namedAs: { new: 'next', password: 'next' },
  });
  return (
    <Paper p="md" component="section" aria-label="Password">
      <Title order={2} mb="xs">
        Password
      </Title>
      <Text c="dimmed" size="sm" mb="md">
        Changing it ends all your sessions and tokens, this one too. API keys stay.
      </Text>
      <form onSubmit={submit}>
        <Stack>
          <Unexplained error={error} />
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            required
            {...form.getInputProps('current')}
          />
          <PasswordInput
            label="New password"
            description={`At least ${SHORTEST} characters`}
            autoComplete="new-password"
            required
            minLength={SHORTEST}
            {...form.getInputProps('next')}
          />
          <PasswordInput
            label="Repeat the new password"
            autoComplete="new-password"
            required
            {...form.getInputProps('repeated')}
          />
          <Group>
            <Button type="submit" loading={busy}>
              Change the password
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}
