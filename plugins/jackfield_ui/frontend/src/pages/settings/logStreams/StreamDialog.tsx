import { Checkbox, Select, Stack, TagsInput, TextInput } from '@mantine/core';
import { api, body } from '../../../api/client';
import type { Schemas } from '../../../api/types';
import type { Pair } from '../../../components/KeyValueEditor';
import { Modal } from '../../../components/Modal';
import { NumberField } from '../../../components/numbers/NumberField';
import { useSending } from '../../../components/useSending';
import { t } from '../../../language/messages';
import { Buttons, Unexplained } from '../FormParts';
import { HeaderInputs, SigningInput } from './SecretInputs';
import { areGood, sentSecrets } from './secrets';

type Stream = Schemas['LogStreamShown'];
type Kind = Stream['kind'];

export const KINDS: { value: Kind; label: string }[] = [
  { value: 'syslog', label: t('Syslog') },
  { value: 'http', label: 'HTTP' },
  { value: 'otlp', label: 'OTLP' },
];
/** Of syslog: the log audit. */
const AUDIT_FACILITY = 13;
const EXAMPLES: Record<Kind, string> = {
  syslog: 'tls://logs.example.org:6514',
  http: 'https://logs.example.org/in',
  otlp: 'https://collector.example.org:4318',
};

/** A log stream, new or changed. The secret that is there stays as long as nobody types another one. */
export function StreamDialog({
  stream,
  onSaved,
  onClose,
}: {
  stream: Stream | undefined;
  onSaved: () => void;
  onClose: () => void;
}) {
  const { form, error, busy, submit } = useSending({
    initial: {
      name: stream?.name ?? '',
      kind: stream?.kind ?? ('syslog' as Kind),
      address: stream?.address ?? '',
      filters: stream?.filters ?? ['audit'],
      enabled: stream?.enabled ?? true,
      n8nNames: stream?.n8nNames ?? false,
      facility: stream?.facility ?? AUDIT_FACILITY,
      secret: '',
      unsigned: false,
      headers: stream?.headers.length ? null : ([] as Pair[] | null),
    },
    validate: { headers: (headers) => (areGood(headers) ? null : t('Some headers cannot be sent.')) },
    send: ({ secret, unsigned, headers, ...values }) => {
      const sent = { ...values, ...sentSecrets(values.kind, { secret, unsigned, headers }) };
      return stream
        ? body(
            api.PUT('/api/v1/log-streams/{stream_id}', {
              params: { path: { stream_id: stream.id } },
              body: sent,
            }),
          )
        : body(api.POST('/api/v1/log-streams', { body: sent }));
    },
    onSent: () => {
      onSaved();
      onClose();
    },
  });
  const { kind, unsigned, headers } = form.values;
  return (
    <Modal
      opened
      onClose={onClose}
      title={stream ? t('Log stream “{name}”', { name: stream.name }) : t('New log stream')}
    >
      <form onSubmit={submit}>
        <Stack>
          <Unexplained error={error} />
          <TextInput label={t('Name')} required maxLength={100} data-autofocus {...form.getInputProps('name')} />
          <Select label={t('Kind')} data={KINDS} allowDeselect={false} {...form.getInputProps('kind')} />
          <TextInput
            label={t('Address')}
            required
            maxLength={2000}
            placeholder={EXAMPLES[kind]}
            classNames={{ input: 'jf-mono' }}
            {...form.getInputProps('address')}
          />
          <TagsInput
            label={t('Events')}
            description={t('audit, executions or nodes, alone or with the beginning of a name: audit:workflow.')}
            data={['audit', 'executions', 'nodes']}
            {...form.getInputProps('filters')}
          />
          {kind === 'http' && (
            <SigningInput
              kept={stream?.hasSecret ?? false}
              unsigned={unsigned}
              input={form.getInputProps('secret')}
              onUnsigned={(next) => form.setFieldValue('unsigned', next)}
            />
          )}
          {kind === 'syslog' ? (
            <NumberField
              label={t('Facility')}
              description={t('A number from 0 to 23. Syslog reserves 13 for audit logs.')}
              min={0}
              max={23}
              decimals={0}
              {...form.getInputProps('facility')}
              onChange={(facility) => form.setFieldValue('facility', Number(facility))}
            />
          ) : (
            <HeaderInputs
              kept={stream?.headers ?? []}
              headers={headers}
              error={form.errors.headers as string | undefined}
              onChange={(next) => form.setFieldValue('headers', next)}
            />
          )}
          <Checkbox label={t('Use n8n’s names of events')} {...form.getInputProps('n8nNames', { type: 'checkbox' })} />
          <Checkbox label={t('Send')} {...form.getInputProps('enabled', { type: 'checkbox' })} />
          <Buttons action={stream ? t('Save') : t('Create')} busy={busy} onClose={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
