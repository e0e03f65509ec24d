import { ActionIcon, Alert, Anchor, Button, Group, Menu, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { api, body } from '../../api/client';
import { messageOf } from '../../api/errors';
import { confirm } from '../../components/confirm';
import { Modal } from '../../components/Modal';
import { notifyDone, notifyError } from '../../components/notify';
import { PlaceDialogs, PlaceItems, type Placing } from '../../components/projects/PlaceItems';
import type { Belonging } from '../../components/projects/rights';
import { RelativeTime } from '../../components/values';
import { IconDotsVertical, IconPencil, IconPlugConnected, IconTestPipe, IconTrash } from '../../icons/drawn';
import { rich, t } from '../../language/messages';
import { type Credential, ONE, ofCredential, useCredential, webAddress } from './credentials';

/** What can be done with one credential. */
export function CredentialActions({
  credential,
  belonging,
  oauth2,
  onEdit,
}: {
  credential: Credential;
  belonging: Belonging;
  oauth2: boolean;
  onEdit: () => void;
}) {
  const [open, setOpen] = useState<'test' | 'connect'>();
  const [placing, setPlacing] = useState<Placing>();
  const writes = belonging.may(credential.id, 'write');
  const client = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: () => api.DELETE(ONE, ofCredential(credential.id)),
    onSuccess: () => client.invalidateQueries({ queryKey: ['credentials'] }),
    onError: (error) => notifyError(error, t('“{name}” cannot be deleted', { name: credential.name })),
  });
  const ask = async () => {
    const body = t('Nodes that use it fail from now on. Its values cannot be brought back.');
    if (
      await confirm({
        title: t('Delete the credential “{name}”?', { name: credential.name }),
        body,
        action: t('Delete'),
      })
    )
      mutate();
  };
  return (
    <>
      <Menu>
        <Menu.Target>
          <ActionIcon aria-label={t('Actions for {name}', { name: credential.name })}>
            <IconDotsVertical size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {writes && (
            <Menu.Item leftSection={<IconPencil size={16} />} onClick={onEdit}>
              {t('Edit')}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconTestPipe size={16} />} onClick={() => setOpen('test')}>
            {t('Test')}
          </Menu.Item>
          {oauth2 && writes && (
            <Menu.Item leftSection={<IconPlugConnected size={16} />} onClick={() => setOpen('connect')}>
              {t('Connect')}
            </Menu.Item>
          )}
          {belonging.may(credential.id, 'admin') && <PlaceItems onPlace={setPlacing} />}
          {writes && (
            <>
              <Menu.Divider />
              <Menu.Item
                c="var(--mantine-color-error)"
                leftSection={<IconTrash size={16} />}
                onClick={() => void ask()}
              >
                {t('Delete')}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <PlaceDialogs
        open={placing}
        kind="credential"
        things={[credential]}
        to={() => '/ui/settings/credentials'}
        onClose={() => setPlacing(undefined)}
      />
      {open === 'test' && <Test credential={credential} onClose={() => setOpen(undefined)} />}
      {open === 'connect' && <Connect credential={credential} onClose={() => setOpen(undefined)} />}
    </>
  );
}

function Test({ credential, onClose }: { credential: Credential; onClose: () => void }) {
  const [url, setUrl] = useState('');
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: (asked: string) =>
      body(
        api.POST('/api/v1/credentials/{credential_id}/test', {
          ...ofCredential(credential.id),
          body: asked ? { url: asked } : {},
        }),
      ),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate(url.trim());
  };
  return (
    <Modal opened onClose={onClose} title={t('Test “{name}”', { name: credential.name })}>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label={t('Address')}
            description={t(
              'The address to try it on. Empty: the service’s own address, or the token server. The secret is sent there.',
            )}
            inputMode="url"
            value={url}
            onChange={(event) => setUrl(event.currentTarget.value)}
          />
          {data && (
            <Alert
              color={data.valid ? (data.tested ? 'green' : 'yellow') : 'red'}
              role="status"
              title={data.valid ? (data.tested ? t('It works') : t('No service was asked')) : t('It does not work')}
            >
              <Text style={{ overflowWrap: 'anywhere' }}>{data.message}</Text>
            </Alert>
          )}
          {error && (
            <Alert color="red" role="alert">
              {messageOf(error)}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button type="submit" loading={isPending}>
              {t('Test')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

const LOOK_EVERY = 2_000;

/** The provider asks its user in a window of its own; this one looks whether they have agreed. */
function Connect({ credential, onClose }: { credential: Credential; onClose: () => void }) {
  const client = useQueryClient();
  const state = useCredential(credential.id);
  const [before, setBefore] = useState(true);
  const begun = useMutation({
    mutationFn: async (popup: Window | null) => {
      try {
        const found = await body(
          api.GET('/api/v1/credentials/{credential_id}/oauth2/authorize', ofCredential(credential.id)),
        );
        const url = webAddress(found.url);
        if (!url) throw new Error(t('The provider’s address is not a web address.'));
        popup?.location.replace(url);
        return { ...found, url, opened: popup !== null };
      } catch (error) {
        popup?.close();
        throw error;
      }
    },
  });
  const waiting = begun.isSuccess;
  const { refetch } = state;
  useEffect(() => {
    if (!waiting) return undefined;
    const timer = setInterval(() => void refetch(), LOOK_EVERY);
    return () => clearInterval(timer);
  }, [waiting, refetch]);
  const connected = waiting && !before && state.data?.connected === true;
  useEffect(() => {
    if (!connected) return;
    notifyDone(t('“{name}” is connected.', { name: credential.name }));
    void client.invalidateQueries({ queryKey: ['credentials'] });
    onClose();
  }, [connected, client, credential.name, onClose]);
  // In the click itself: a window that is opened later is blocked.
  const open = () => {
    setBefore(state.data?.connected === true);
    begun.mutate(window.open('about:blank', '_blank', 'popup,width=560,height=720'));
  };
  return (
    <Modal opened onClose={onClose} title={t('Connect “{name}”', { name: credential.name })}>
      <Stack>
        <Text>
          {t(
            'The provider opens in its own window and asks you to grant access. Nothing that you type there passes through Jackfield.',
          )}
        </Text>
        {begun.error && (
          <Alert color="red" role="alert">
            {messageOf(begun.error)}
          </Alert>
        )}
        {begun.data && (
          <Alert color="glaze" role="status">
            {begun.data.opened ? t('Waiting for your answer in the other window.') : t('The browser opened no window.')}{' '}
            {rich(
              '<link>Open the provider here</link>. The link works until {expiresAt}. The provider must know the address {redirectUri}.',
              {
                link: (inner) => (
                  <Anchor href={begun.data.url} target="_blank" rel="noreferrer noopener">
                    {inner}
                  </Anchor>
                ),
                expiresAt: <RelativeTime time={begun.data.expiresAt} />,
                redirectUri: <span className="jf-mono">{begun.data.redirectUri}</span>,
              },
            )}
          </Alert>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            {t('Close')}
          </Button>
          <Button loading={begun.isPending} onClick={open}>
            {state.data?.connected ? t('Connect again') : t('Connect')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
