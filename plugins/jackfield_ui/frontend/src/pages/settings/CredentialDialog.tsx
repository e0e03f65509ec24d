import { Alert, Select, Skeleton, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { request } from '../../api/client';
import { ApiError } from '../../api/errors';
import { CredentialFields } from '../../components/credentials/CredentialFields';
import { Failure } from '../../components/Failure';
import { Modal } from '../../components/Modal';
import {
  type Credential,
  type CredentialWhole,
  defaults,
  given,
  type Kind,
  one,
  PATH,
  useCredential,
  useKinds,
  type Values,
} from './credentials';
import { Buttons, Unexplained } from './FormParts';

/** Makes a credential of any kind. */
export function NewCredential({ onClose }: { onClose: () => void }) {
  const kinds = useKinds();
  const [chosen, setChosen] = useState<string | null>(null);
  const [name, setName] = useState('');
  const [values, setValues] = useState<Values>({});
  const kind = chosen ? kinds.data?.get(chosen) : undefined;
  const save = useSave(onClose, () => request('POST', PATH, { json: { name, kind: chosen, values: given(values) } }));
  const choose = (next: string | null) => {
    const described = next ? kinds.data?.get(next) : undefined;
    setChosen(next);
    setValues(described ? defaults(described) : {});
    if (described && !name) setName(described.title);
  };
  const options = [...(kinds.data?.values() ?? [])]
    .map((one) => ({ value: one.kind, label: one.title === one.kind ? one.title : `${one.title} (${one.kind})` }))
    .sort((a, b) => a.label.localeCompare(b.label));
  return (
    <Modal opened onClose={onClose} title="New credential" size="lg">
      <form onSubmit={save.submit}>
        <Stack>
          <Unexplained error={save.error} />
          <Select
            label="Kind"
            description="What it is for, and which fields it has"
            required
            searchable
            limit={200}
            nothingFoundMessage="There is no such kind"
            data={options}
            value={chosen}
            error={save.fields.kind}
            onChange={choose}
            openOnFocus={false}
            data-autofocus
          />
          {kind && (
            <>
              <Name value={name} onChange={setName} error={save.fields.name} />
              <CredentialFields kind={kind} values={values} errors={save.fields} onChange={setValues} />
              {kind.oauth2 && (
                <Text size="sm" c="dimmed">
                  After it is created, connect it: the provider asks its user to grant access.
                </Text>
              )}
            </>
          )}
          <Buttons action="Create" busy={save.isPending} onClose={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}

/** Changes a credential's name, or all of its values: what is secret does not come back to be edited. */
export function EditCredential({ credential, onClose }: { credential: Credential; onClose: () => void }) {
  const kinds = useKinds();
  const whole = useCredential(credential.id);
  return (
    <Modal opened onClose={onClose} title={`Credential “${credential.name}”`} size="lg">
      {whole.data && kinds.data ? (
        <EditForm credential={whole.data} kind={kinds.data.get(credential.kind)} onClose={onClose} />
      ) : whole.error ? (
        <Failure error={whole.error} onRetry={() => void whole.refetch()} />
      ) : (
        <Skeleton height={200} />
      )}
    </Modal>
  );
}

function EditForm({
  credential,
  kind,
  onClose,
}: {
  credential: CredentialWhole;
  kind: Kind | undefined;
  onClose: () => void;
}) {
  const [name, setName] = useState(credential.name);
  const [replacing, setReplacing] = useState(false);
  const [values, setValues] = useState<Values>(credential.values);
  const save = useSave(onClose, () =>
    request('PATCH', one(credential.id), { json: replacing ? { name, values: given(values) } : { name } }),
  );
  return (
    <form onSubmit={save.submit}>
      <Stack>
        <Unexplained error={save.error} />
        <Name value={name} onChange={setName} error={save.fields.name} />
        <Text size="sm" c="dimmed">
          {kind?.title ?? credential.kind}
        </Text>
        {kind ? (
          <Switch
            label="Replace the values"
            description="Secrets are not shown and have to be entered again."
            checked={replacing}
            onChange={(event) => setReplacing(event.currentTarget.checked)}
          />
        ) : (
          <Alert color="yellow">No plugin describes this kind, so that its values cannot be changed here.</Alert>
        )}
        {replacing && kind && (
          <CredentialFields kind={kind} values={values} errors={save.fields} onChange={setValues} />
        )}
        <Buttons action="Save" busy={save.isPending} onClose={onClose} />
      </Stack>
    </form>
  );
}

function Name(props: { value: string; onChange: (value: string) => void; error: string | undefined }) {
  return (
    <TextInput
      label="Name"
      required
      maxLength={255}
      error={props.error}
      value={props.value}
      onChange={(event) => props.onChange(event.currentTarget.value)}
    />
  );
}

function useSave(onClose: () => void, mutationFn: () => Promise<unknown>) {
  const client = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn,
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['credentials'] });
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  return { submit, error, isPending, fields: error instanceof ApiError ? error.fields : {} };
}
