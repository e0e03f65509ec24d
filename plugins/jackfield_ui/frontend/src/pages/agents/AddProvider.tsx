import { Alert, Button, Group, PasswordInput, Select, Stack, TagsInput, TextInput } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { ApiError, messageOf } from '../../api/errors';
import { Modal } from '../../components/Modal';
import { notifyDone } from '../../components/notify';
import { type ProviderBody, useAddProvider } from './queries';

const TYPES: { value: ProviderBody['type']; label: string; hint: string }[] = [
  { value: 'openai-compatible', label: 'OpenAI’s dialect', hint: 'A URL that ends with its version, most often /v1.' },
  { value: 'anthropic-compatible', label: 'Anthropic’s dialect', hint: 'A URL without a version.' },
  { value: 'gemini-compatible', label: 'Gemini’s dialect', hint: 'A URL without a version.' },
];
const AUTH = [
  { value: 'vendor', label: 'As the dialect’s vendor has it' },
  { value: 'bearer', label: 'Authorization: Bearer' },
  { value: 'api-key', label: 'In a header of its own' },
  { value: 'none', label: 'No key' },
];
const ENDPOINT = 'main';
/** Fields of the API by those that the form has. */
const SHOWN = ['id', 'name', 'type', `endpoints.${ENDPOINT}`, 'auth.header', 'models.available', 'api_key'];

/** A provider that no manifest describes yet: it becomes one. */
export function AddProvider({ onClose, onAdded }: { onClose: () => void; onAdded: (id: string) => void }) {
  const add = useAddProvider();
  const [id, setId] = useState('');
  const [name, setName] = useState('');
  const [type, setType] = useState<ProviderBody['type']>('openai-compatible');
  const [url, setUrl] = useState('');
  const [auth, setAuth] = useState('vendor');
  const [header, setHeader] = useState('');
  const [models, setModels] = useState<string[]>([]);
  const [key, setKey] = useState('');
  const fields = add.error instanceof ApiError ? add.error.fields : {};
  const others = Object.entries(fields).filter(([field]) => !SHOWN.includes(field));

  const submit = async (event: FormEvent) => {
    event.preventDefault();
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
    try {
      await add.mutateAsync({ body, key: auth === 'none' ? '' : key });
      notifyDone(`The provider ${body.name || body.id} was added.`);
      onAdded(body.id);
    } catch {
      // Shown below.
    }
  };
  return (
    <Modal opened onClose={onClose} title="Add a provider" size="lg">
      <form onSubmit={(event) => void submit(event)}>
        <Stack>
          <Group grow align="flex-start">
            <TextInput
              label="Id"
              required
              data-autofocus
              classNames={{ input: 'jf-mono' }}
              placeholder="my-gateway"
              autoComplete="off"
              value={id}
              onChange={(event) => setId(event.currentTarget.value)}
              error={fields.id}
            />
            <TextInput
              label="Display name"
              autoComplete="off"
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              error={fields.name}
            />
          </Group>
          <Select
            label="Speaks"
            data={TYPES.map(({ value, label }) => ({ value, label }))}
            value={type}
            onChange={(next) => next && setType(next as ProviderBody['type'])}
            allowDeselect={false}
            error={fields.type}
          />
          <TextInput
            label="Endpoint"
            required
            classNames={{ input: 'jf-mono' }}
            description={TYPES.find(({ value }) => value === type)?.hint}
            autoComplete="off"
            value={url}
            onChange={(event) => setUrl(event.currentTarget.value)}
            error={fields[`endpoints.${ENDPOINT}`]}
          />
          <Select
            label="Key is sent"
            data={AUTH}
            value={auth}
            onChange={(next) => next && setAuth(next)}
            allowDeselect={false}
            error={fields['auth.kind']}
          />
          {auth === 'api-key' && (
            <TextInput
              label="Header"
              classNames={{ input: 'jf-mono' }}
              placeholder="api-key"
              autoComplete="off"
              value={header}
              onChange={(event) => setHeader(event.currentTarget.value)}
              error={fields['auth.header']}
            />
          )}
          {auth !== 'none' && (
            <PasswordInput
              label="Key for proxies"
              description="Optional: profiles have keys of their own."
              autoComplete="off"
              value={key}
              onChange={(event) => setKey(event.currentTarget.value)}
              error={fields.api_key}
            />
          )}
          <TagsInput
            label="Models"
            description="The first is the default. None: any."
            value={models}
            onChange={setModels}
            error={fields['models.available']}
          />
          {add.error && (
            <Alert color="red" icon={<IconAlertTriangle />} title="It was not added" role="alert">
              {messageOf(add.error)}
              {others.map(([field, why]) => (
                <div key={field}>
                  {field}: {why}
                </div>
              ))}
            </Alert>
          )}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={add.isPending} disabled={!id.trim() || !url.trim()}>
              Add the provider
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
