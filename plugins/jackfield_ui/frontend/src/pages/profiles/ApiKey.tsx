import { Button, Group, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../../api/errors';
import { useMay } from '../../app/session';
import { confirm } from '../../components/confirm';
import { notifyDone, notifyError } from '../../components/notify';
import { t } from '../../language/messages';
import { type Detail, type ProviderDetail, useChange } from './queries';

/** The profile's own key: set and removed, never shown. */
export function ApiKey({ profile, provider }: { profile: Detail; provider: ProviderDetail | undefined }) {
  const change = useChange(profile.alias);
  const writes = useMay('member');
  const [key, setKey] = useState('');
  const fields = change.error instanceof ApiError ? change.error.fields : {};
  const env = provider?.auth.env_key;

  const save = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await change.mutateAsync({ api_key: key });
      setKey('');
      notifyDone(t('The key was stored.'));
    } catch (error) {
      if (!(error instanceof ApiError && error.fields.api_key)) notifyError(error, t('The key was not stored'));
    }
  };
  const remove = async () => {
    const body = env ? t('Then the daemon’s variable {env} must hold one.', { env }) : t('It cannot be brought back.');
    if (
      !(await confirm({
        title: t('Remove the key of “{alias}”?', { alias: profile.alias }),
        body,
        action: t('Remove'),
      }))
    )
      return;
    change.mutate(
      { api_key: null },
      { onSuccess: () => notifyDone(t('The key was removed.')), onError: (error) => notifyError(error) },
    );
  };

  return (
    <section aria-labelledby="api-key">
      <Title order={2} id="api-key" mb="xs">
        {t('API key')}
      </Title>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {profile.has_key
            ? t('The profile has its own key, which is never shown.')
            : provider?.dialect === null
              ? t('None is needed: you log in with the agent itself.')
              : env
                ? t('The profile has no key; the daemon’s {env} is used.', { env })
                : t('The profile has no key.')}
        </Text>
        {writes && (provider?.dialect !== null || profile.has_key) && (
          <form onSubmit={(event) => void save(event)}>
            <Group gap="sm" align="flex-start">
              <PasswordInput
                flex="1 1 16rem"
                aria-label={profile.has_key ? t('New API key') : t('API key')}
                placeholder={profile.has_key ? t('A new key that replaces it') : t('The key')}
                autoComplete="off"
                value={key}
                onChange={(event) => setKey(event.currentTarget.value)}
                error={fields.api_key}
              />
              <Button type="submit" variant="default" disabled={!key} loading={change.isPending}>
                {profile.has_key ? t('Replace') : t('Store')}
              </Button>
              {profile.has_key && (
                <Button variant="default" onClick={() => void remove()}>
                  {t('Remove…')}
                </Button>
              )}
            </Group>
          </form>
        )}
      </Stack>
    </section>
  );
}
