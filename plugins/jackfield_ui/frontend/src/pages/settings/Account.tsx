import {
  Alert,
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
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { request } from '../../api/client';
import { ApiError, messageOf } from '../../api/errors';
import { session, useSession } from '../../app/session';
import classes from '../../components/blocks.module.css';
import { notifyDone, notifyError } from '../../components/notify';
import { RelativeTime } from '../../components/values';

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
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [repeated, setRepeated] = useState('');
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => request('POST', '/api/v1/auth/password', { json: { current, new: next } }),
    onSuccess: async () => {
      for (const forget of [setCurrent, setNext, setRepeated]) forget('');
      notifyDone('Your password is changed. Log in with the new one.');
      await session.renew();
    },
  });
  const fields = error instanceof ApiError ? error.fields : {};
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
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
          {error && !Object.keys(fields).length && (
            <Alert color="red" role="alert">
              {messageOf(error)}
            </Alert>
          )}
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            required
            error={fields.current}
            value={current}
            onChange={(event) => setCurrent(event.currentTarget.value)}
          />
          <PasswordInput
            label="New password"
            description={`At least ${SHORTEST} characters`}
            autoComplete="new-password"
            required
            minLength={SHORTEST}
            error={fields.new ?? fields.password}
            value={next}
            onChange={(event) => setNext(event.currentTarget.value)}
          />
          <PasswordInput
            label="Repeat the new password"
            autoComplete="new-password"
            required
            error={repeated && repeated !== next ? 'This is not the same.' : undefined}
            value={repeated}
            onChange={(event) => setRepeated(event.currentTarget.value)}
          />
          <Group>
            <Button type="submit" loading={isPending} disabled={!next || next !== repeated}>
              Change the password
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}
