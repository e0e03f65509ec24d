import { Autocomplete, Group, Select } from '@mantine/core';
import { t } from '../../language/messages';
import { targetParts } from './model';
import { useProvider, useProviders } from './queries';

/** A provider of the catalogue and one of its models, or any other name: catalogues do not know everything. */
export function TargetInput({
  target,
  error,
  onChange,
  labels = [t('To the provider'), t('Model')],
}: {
  target: string;
  error: string | undefined;
  onChange: (target: string) => void;
  labels?: readonly [string, string];
}) {
  const { provider, model } = targetParts(target);
  const providers = useProviders();
  const found = useProvider(providers.data?.some(({ id }) => id === provider) ? provider : '');
  const known = (providers.data ?? []).map(({ id, name }) => ({ value: id, label: `${name} (${id})` }));
  const options =
    provider && !known.some(({ value }) => value === provider)
      ? [...known, { value: provider, label: provider }]
      : known;
  // The server's sentence lists every provider; the list is here to choose from.
  const said = error?.replace(/; use one of: .*$/s, '.');
  const choose = (id: string | null) => {
    const preset = providers.data?.find((one) => one.id === id)?.default_model ?? '';
    if (id && id !== provider) onChange(`${id}/${preset}`);
  };
  return (
    <Group gap="md" align="flex-start" grow preventGrowOverflow={false}>
      <Select
        label={labels[0]}
        placeholder={t('Choose one')}
        searchable
        allowDeselect={false}
        data={options}
        value={provider || null}
        error={said}
        nothingFoundMessage={t('No provider of this name')}
        onChange={choose}
      />
      <Autocomplete
        label={labels[1]}
        placeholder={t('Any model')}
        disabled={!provider}
        data={[...(found.data?.models ?? [])]}
        value={model}
        error={Boolean(said)}
        onChange={(next) => onChange(`${provider}/${next}`)}
      />
    </Group>
  );
}
