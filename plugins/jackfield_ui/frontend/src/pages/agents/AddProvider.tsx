import { Alert, Button, Group, PasswordInput, Select, Stack, TagsInput, TextInput } from '@mantine/core';
import { ApiError, messageOf } from '../../api/errors';
import { Modal } from '../../components/Modal';
import { notifyDone } from '../../components/notify';
import { useSending } from '../../components/useSending';
import { IconAlertTriangle } from '../../icons/drawn';
import { t } from '../../language/messages';
import { type ProviderBody, useAddProvider } from './queries';

const TYPES: { value: ProviderBody['type']; label: string; hint: string }[] = [
  {
    value: 'openai-compatible',
    label: t('OpenAI’s dialect'),
    hint: t('A URL that ends with its version, most often /v1.'),
  },
  { value: 'anthropic-compatible', label: t('Anthropic’s dialect'), hint: t('A URL without a version.') },
  { value: 'gemini-compatible', label: t('Gemini’s dialect'), hint: t('A URL without a version.') },
];
const AUTH = [
  { value: 'vendor', label: t('As the dialect’s vendor has it') },
  { value: 'bearer', label: t('Authorization: Bearer') },
  { value: 'api-key', label: t('In its own header') },
  { value: 'none', label: t('No key') },
];
const ENDPOINT = 'main';
/** Names in the form of the API's fields. */
const NAMES: Readonly<Record<string, string>> = {
  id: 'id',
  name: 'name',
  type: 'type',
  [`endpoints.${ENDPOINT}`]: 'url',
  'auth.kind': 'auth',
  'auth.header': 'header',
  'models.available': 'models',
  api_key: 'key',
};
const EMPTY = {
  id: '',
  name: '',
  type: 'openai-compatible' as ProviderBody['type'],
  url: '',
  auth: 'vendor',
  header: '',
  models: [] as string[],
  key: '',
};

function bodyOf({ id, name, type, url, auth, header, models, key }: typeof EMPTY): { body: ProviderBody; key: string } {
  const body: ProviderBody = {
    id: id.trim(),
    name: name.trim(),
    type,
    endpoints: { [ENDPOINT]: url.trim() },
    auth: {
      required: auth !== 'none',
      ...(auth === 'bearer' || auth === 'api-key' ? { kind: auth } : {}),
      ...(auth === 'api-key' && header.trim() ? { header: header.trim() } : {}),
    },
    models: { available: models, ...(models[0] ? { default: models[0] } : {}) },
  };
  return { body, key: auth === 'none' ? '' : key };
}

/** A provider that no manifest describes yet: it becomes one. */
export function AddProvider({ onClose, onAdded }: { onClose: () => void; onAdded: (id: string) => void }) {
  const add = useAddProvider();
  const { form, error, submit } = useSending({
    initial: EMPTY,
    send: (values) => add.mutateAsync(bodyOf(values)),
    onSent: (_, { id, name }) => {
      notifyDone(t('The provider {name} was added.', { name: name.trim() || id.trim() }));
      onAdded(id.trim());
    },
    namedAs: NAMES,
  });
  const { id, type, url, auth } = form.values;
  const others = Object.entries(error instanceof ApiError ? error.fields : {}).filter(([field]) => !(field in NAMES));
  return (
    <Modal opened onClose={onClose} title={t('Add a provider')} size="lg">
      <form onSubmit={submit}>
        <Stack>
          <Group grow align="flex-start">
            <TextInput
              label={t('ID')}
              required
              data-autofocus
              classNames={{ input: 'jf-mono' }}
              placeholder="my-gateway"
              autoComplete="off"
              {...form.getInputProps('id')}
            />
            <TextInput label={t('Display name')} autoComplete="off" {...form.getInputProps('name')} />
          </Group>
          <Select
            label={t('Speaks')}
            data={TYPES.map(({ value, label }) => ({ value, label }))}
            allowDeselect={false}
            {...form.getInputProps('type')}
          />
          <TextInput
            label={t('Endpoint')}
            required
            classNames={{ input: 'jf-mono' }}
            description={TYPES.find(({ value }) => value === type)?.hint}
            autoComplete="off"
            {...form.getInputProps('url')}
          />
          <Select label={t('Key is sent')} data={AUTH} allowDeselect={false} {...form.getInputProps('auth')} />
          {auth === 'api-key' && (
            <TextInput
              label={t('Header')}
              classNames={{ input: 'jf-mono' }}
              placeholder="api-key"
              autoComplete="off"
              {...form.getInputProps('header')}
            />
          )}
          {auth !== 'none' && (
            <PasswordInput
              label={t('Key for proxies')}
              description={t('Optional: profiles have their own keys.')}
              autoComplete="off"
              {...form.getInputProps('key')}
            />
          )}
          <TagsInput
            label={t('Models')}
            description={t('The first is the default. Empty: any model.')}
            {...form.getInputProps('models')}
          />
          {error && (
            <Alert color="red" icon={<IconAlertTriangle />} title={t('It was not added')} role="alert">
              {messageOf(error)}
              {others.map(([field, why]) => (
                <div key={field}>
                  {field}: {why}
                </div>
              ))}
            </Alert>
          )}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              {t('Cancel')}
            </Button>
            <Button type="submit" loading={add.isPending} disabled={!id.trim() || !url.trim()}>
              {t('Add the provider')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
