import { Button, Group, List, PasswordInput, Skeleton, Stack, Text, Title } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../../api/errors';
import { useMay } from '../../app/session';
import classes from '../../components/blocks.module.css';
import { confirm } from '../../components/confirm';
import { Failure } from '../../components/Failure';
import { Modal } from '../../components/Modal';
import { notifyDone, notifyError } from '../../components/notify';
import { sentences, t } from '../../language/messages';
import {
  type KeySource,
  type ProviderDetail,
  useKeySource,
  useProvider,
  useProviderKey,
  useRemoveProvider,
} from './queries';

/** One provider: endpoints, models, and its key for proxies. */
export function ProviderDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const provider = useProvider(id);
  const { data } = provider;
  return (
    <Modal opened onClose={onClose} title={data?.name ?? id} size="lg">
      {provider.error && !data ? (
        <Failure error={provider.error} onRetry={() => void provider.refetch()} />
      ) : !data ? (
        <Skeleton height={240} />
      ) : (
        <Stack gap="lg">
          <dl className={classes.facts}>
            <dt>{t('Speaks')}</dt>
            <dd>{data.dialect === null ? t('the agent’s own login') : `${data.dialect} (${data.type})`}</dd>
            {Object.entries(data.endpoints).map(([name, url]) => (
              <Endpoint key={name} name={name} url={url} isDefault={name === data.default_endpoint} />
            ))}
            <dt>{t('Models')}</dt>
            <dd>
              {data.models.length ? (
                <List size="sm" listStyleType="none">
                  {data.models.map((model) => (
                    <List.Item key={model}>
                      <span className="jf-mono">{model}</span>
                      {model === data.default_model && ` ${t('(default)')}`}
                    </List.Item>
                  ))}
                </List>
              ) : (
                t('any')
              )}
            </dd>
          </dl>
          {data.dialect !== null && <Key provider={data} />}
          {data.custom && <Remove provider={data} onRemoved={onClose} />}
        </Stack>
      )}
    </Modal>
  );
}

function Remove({ provider, onRemoved }: { provider: ProviderDetail; onRemoved: () => void }) {
  const writes = useMay('member');
  const change = useRemoveProvider(provider.id);
  if (!writes) return null;
  const remove = async () => {
    const title = t('Remove the provider “{name}”?', { name: provider.name });
    const body = t('Its manifest is deleted. A provider that profiles have stays.');
    if (!(await confirm({ title, body, action: t('Remove') }))) return;
    change.mutate(undefined, {
      onSuccess: () => {
        notifyDone(t('The provider was removed.'));
        onRemoved();
      },
      onError: (error) => notifyError(error),
    });
  };
  return (
    <Button variant="default" style={{ alignSelf: 'flex-start' }} onClick={() => void remove()}>
      {t('Remove the provider…')}
    </Button>
  );
}

function Endpoint({ name, url, isDefault }: { name: string; url: string; isDefault: boolean }) {
  return (
    <>
      <dt>{t('Endpoint {name}', { name })}</dt>
      <dd>
        <span className="jf-mono">{url}</span>
        {isDefault && name !== 'default' && ` ${t('(default)')}`}
      </dd>
    </>
  );
}

function Key({ provider }: { provider: ProviderDetail }) {
  const writes = useMay('member');
  const change = useProviderKey(provider.id);
  const source = useKeySource(provider.id).data?.source;
  const [key, setKey] = useState('');
  const { env_key: variable, required } = provider.auth;
  const fields = change.error instanceof ApiError ? change.error.fields : {};

  const store = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await change.mutateAsync(key);
      setKey('');
      notifyDone(t('The key of {name} was stored.', { name: provider.name }));
    } catch (error) {
      if (!(error instanceof ApiError && error.fields.api_key)) notifyError(error, t('The key was not stored'));
    }
  };
  const remove = async () => {
    const title = t('Remove the stored key of “{name}”?', { name: provider.name });
    const body = t('Proxies of other profiles can then send nothing to it. Keys of profiles stay.');
    if (!(await confirm({ title, body, action: t('Remove') }))) return;
    change.mutate(null, {
      onSuccess: () => notifyDone(t('The key was removed.')),
      onError: (error) => notifyError(error),
    });
  };
  return (
    <section aria-labelledby="provider-key">
      <Title order={2} id="provider-key" mb="xs">
        {t('Key for proxies')}
      </Title>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {sentences(
            stateOf(source, variable),
            !required && t('The provider needs none.'),
            t(
              'A profile has its own key; this one is for requests that the proxy of another provider’s profile sends here.',
            ),
          )}
        </Text>
        {writes && (
          <form onSubmit={(event) => void store(event)}>
            <Group gap="sm" align="flex-start">
              <PasswordInput
                flex="1 1 14rem"
                aria-label={t('New key')}
                placeholder={provider.auth.prompt || t('The key')}
                autoComplete="off"
                value={key}
                onChange={(event) => setKey(event.currentTarget.value)}
                error={fields.api_key}
              />
              <Button type="submit" variant="default" disabled={!key} loading={change.isPending}>
                {t('Store')}
              </Button>
              {source === 'stored' && (
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

function stateOf(key: KeySource | undefined, variable: string | null): string {
  if (key === 'stored') return t('A key is stored.');
  if (key === 'environment') return t('The daemon’s variable {variable} holds one.', { variable: variable ?? '' });
  if (key === null)
    return variable ? t('No key is stored, and {variable} is not set.', { variable }) : t('No key is stored.');
  return '';
}
