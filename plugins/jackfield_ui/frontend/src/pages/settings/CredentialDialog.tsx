import { Alert, Select, Skeleton, Stack, Switch, Text, TextInput } from '@mantine/core';
import type { FormErrors, GetInputPropsReturnType } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { api, body } from '../../api/client';
import { CredentialFields } from '../../components/credentials/CredentialFields';
import { Failure } from '../../components/Failure';
import { Modal } from '../../components/Modal';
import { useSending } from '../../components/useSending';
import { t } from '../../language/messages';
import {
  type Credential,
  type CredentialType,
  type CredentialWhole,
  defaults,
  given,
  ONE,
  ofCredential,
  PATH,
  useCredential,
  useCredentialTypes,
  type Values,
} from './credentials';
import { Buttons, Unexplained } from './FormParts';

/** Makes a credential of any kind. */
export function NewCredential({ onClose }: { onClose: () => void }) {
  const kinds = useCredentialTypes();
  const { form, error, busy, submit } = useSending({
    initial: { kind: '', name: '', values: {} as Values },
    send: (filled) => body(api.POST(PATH, { body: { ...filled, values: given(filled.values) } })),
    onSent: useSaved(onClose),
  });
  const { name, values } = form.values;
  const kind = kinds.data?.get(form.values.kind);
  const choose = (next: string | null) => {
    const described = next ? kinds.data?.get(next) : undefined;
    form.setValues({
      kind: next ?? '',
      name: name || (described?.title ?? ''),
      values: described ? defaults(described) : {},
    });
  };
  const options = [...(kinds.data?.values() ?? [])]
    .map((one) => ({ value: one.kind, label: one.title === one.kind ? one.title : `${one.title} (${one.kind})` }))
    .sort((a, b) => a.label.localeCompare(b.label));
  return (
    <Modal opened onClose={onClose} title={t('New credential')} size="lg">
      <form onSubmit={submit}>
        <Stack>
          <Unexplained error={error} />
          <Select
            label={t('Kind')}
            description={t('Decides which fields you fill in')}
            required
            searchable
            limit={200}
            nothingFoundMessage={t('There is no such kind')}
            data={options}
            value={form.values.kind || null}
            error={form.errors.kind}
            onChange={choose}
            openOnFocus={false}
            data-autofocus
          />
          {kind && (
            <>
              <Name {...form.getInputProps('name')} />
              <CredentialFields
                kind={kind}
                values={values}
                errors={texts(form.errors)}
                onChange={(next) => form.setFieldValue('values', next)}
              />
              {kind.oauth2 && (
                <Text size="sm" c="dimmed">
                  {t('After it is created, connect it: the provider asks its user to grant access.')}
                </Text>
              )}
            </>
          )}
          <Buttons action={t('Create')} busy={busy} onClose={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}

/** Changes a credential's name, or all of its values: what is secret does not come back to be edited. */
export function EditCredential({ credential, onClose }: { credential: Credential; onClose: () => void }) {
  const kinds = useCredentialTypes();
  const whole = useCredential(credential.id);
  return (
    <Modal opened onClose={onClose} title={t('Credential “{name}”', { name: credential.name })} size="lg">
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
  kind: CredentialType | undefined;
  onClose: () => void;
}) {
  const { form, error, busy, submit } = useSending({
    initial: { name: credential.name, replacing: false, values: credential.values as Values },
    send: ({ name, replacing, values }) =>
      body(
        api.PATCH(ONE, {
          ...ofCredential(credential.id),
          body: replacing ? { name, values: given(values) } : { name },
        }),
      ),
    onSent: useSaved(onClose),
  });
  const { replacing, values } = form.values;
  return (
    <form onSubmit={submit}>
      <Stack>
        <Unexplained error={error} />
        <Name {...form.getInputProps('name')} />
        <Text size="sm" c="dimmed">
          {kind?.title ?? credential.kind}
        </Text>
        {kind ? (
          <Switch
            label={t('Replace the values')}
            description={t('Secrets are not shown and have to be entered again.')}
            {...form.getInputProps('replacing', { type: 'checkbox' })}
          />
        ) : (
          <Alert color="yellow">{t('No plugin describes this kind, so that its values cannot be changed here.')}</Alert>
        )}
        {replacing && kind && (
          <CredentialFields
            kind={kind}
            values={values}
            errors={texts(form.errors)}
            onChange={(next) => form.setFieldValue('values', next)}
          />
        )}
        <Buttons action={t('Save')} busy={busy} onClose={onClose} />
      </Stack>
    </form>
  );
}

function Name(props: GetInputPropsReturnType) {
  return <TextInput label={t('Name')} required maxLength={255} {...props} />;
}

function useSaved(onClose: () => void) {
  const client = useQueryClient();
  return () => {
    void client.invalidateQueries({ queryKey: ['credentials'] });
    onClose();
  };
}

/** Errors at fields, as texts. */
function texts(errors: FormErrors): Record<string, string> {
  return Object.fromEntries(Object.entries(errors).map(([name, why]) => [name, String(why)]));
}
