import { ActionIcon, Group, Select, Stack, Text } from '@mantine/core';
import { NumberField } from '../../components/numbers/NumberField';
import { IconTrash } from '../../icons/drawn';
import { t } from '../../language/messages';
import type { FormProps } from './Form';
import { type Limits, nextKey } from './model';
import { useProviders } from './queries';

const FIELDS = [
  ['max_concurrent', t('Concurrent requests'), ''],
  ['queue', t('May wait'), '64'],
  ['queue_timeout', t('For this many seconds'), '30'],
] as const;

/** How many requests a provider has in flight; the others wait. */
export function LimitInputs({ draft, errors, onChange }: FormProps) {
  const providers = useProviders();
  const free = (providers.data ?? []).filter(({ id }) => !draft.providers.some(({ name }) => name === id));
  const put = (index: number, limits: Limits, path: string) =>
    onChange(
      { ...draft, providers: draft.providers.map((one, at) => (at === index ? { ...one, limits } : one)) },
      path,
    );
  const add = (name: string | null) => {
    if (name)
      onChange(
        { ...draft, providers: [...draft.providers, { key: nextKey(), name, limits: { max_concurrent: 4 } }] },
        'providers',
      );
  };
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {t(
          'Further requests wait. If the queue is full, the proxy tries the next target, or asks the client to retry later.',
        )}
      </Text>
      {draft.providers.map(({ key, name, limits }, index) => {
        const path = `providers.${name}`;
        return (
          <Group key={key} gap="md" align="flex-start" role="group" aria-label={t('Limits of {name}', { name })}>
            <Text fw={600} mt={28} miw={110}>
              {name}
            </Text>
            {FIELDS.map(([field, label, preset]) => (
              <NumberField
                key={field}
                label={label}
                w={150}
                min={field === 'max_concurrent' ? 1 : 0}
                {...(field !== 'queue_timeout' && { decimals: 0 })}
                placeholder={preset}
                value={limits[field] ?? ''}
                error={errors[`${path}.${field}`] ?? (field === 'max_concurrent' ? errors[path] : undefined)}
                onChange={(value) => put(index, setting(limits, field, value), `${path}.${field}`)}
              />
            ))}
            <ActionIcon
              mt={24}
              aria-label={t('Remove the limits of {name}', { name })}
              onClick={() => onChange({ ...draft, providers: draft.providers.filter((_, at) => at !== index) }, path)}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </Group>
        );
      })}
      <Select
        aria-label={t('Limit a provider')}
        placeholder={t('Limit a provider')}
        w={260}
        searchable
        data={free.map(({ id, name }) => ({ value: id, label: `${name} (${id})` }))}
        value={null}
        onChange={add}
        nothingFoundMessage={t('No provider of this name')}
      />
    </Stack>
  );
}

function setting(limits: Limits, field: keyof Limits, value: string | number): Limits {
  if (field === 'max_concurrent') return { ...limits, max_concurrent: Number(value) || 0 };
  const { [field]: _, ...rest } = limits;
  return value === '' ? rest : { ...limits, [field]: Number(value) };
}
