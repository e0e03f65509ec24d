import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link } from 'react-router';
import { api, body } from '../../../api/client';
import { ApiError } from '../../../api/errors';
import type { Schemas } from '../../../api/types';
import { areaPath } from '../../../app/areas';
import { CredentialFields } from '../../../components/credentials/CredentialFields';
import {
  CREDENTIALS,
  type CredentialType,
  type CredentialValues,
  defaults,
  given,
} from '../../../components/credentials/kinds';
import { Modal } from '../../../components/Modal';
import { explained } from '../../../components/notify';
import { rich, t } from '../../../language/messages';

/** Stores a credential of this kind without leaving the node. */
export function NewCredential({
  kind,
  onMade,
  onClose,
}: {
  kind: CredentialType;
  onMade: (made: Schemas['CredentialRow']) => void;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const [name, setName] = useState(kind.title);
  const [values, setValues] = useState<CredentialValues>(() => defaults(kind));
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => body(api.POST(CREDENTIALS, { body: { name, kind: kind.kind, values: given(values) } })),
    onSuccess: async (made) => {
      await client.invalidateQueries({ queryKey: ['credentials'] });
      onMade(made);
      onClose();
    },
  });
  const fields = error instanceof ApiError ? error.fields : {};
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // The node's own form is around this one in React's tree.
    event.stopPropagation();
    mutate();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('New credential: {title}', { title: kind.title })}
      size="lg"
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
      <form onSubmit={submit} autoComplete="off">
        <Stack>
          {error && Object.keys(fields).length === 0 && (
            <Text c="var(--jf-bad)" role="alert" style={{ whiteSpace: 'pre-line' }}>
              {explained(error)}
            </Text>
          )}
          <TextInput
            label={t('Name')}
            required
            maxLength={255}
            value={name}
            error={fields.name}
            onChange={(event) => setName(event.currentTarget.value)}
            data-autofocus
          />
          <CredentialFields kind={kind} values={values} errors={fields} onChange={setValues} />
          {kind.oauth2 && (
            <Text size="sm" c="dimmed">
              {rich(
                'After it is created, connect it in <link>settings</link>: the provider asks its user to grant access.',
                {
                  link: (inner) => (
                    <Anchor component={Link} to={`${areaPath('settings')}/credentials`} inherit target="_blank">
                      {inner}
                    </Anchor>
                  ),
                },
              )}
            </Text>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('Cancel')}
            </Button>
            <Button type="submit" loading={isPending}>
              {t('Create')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
