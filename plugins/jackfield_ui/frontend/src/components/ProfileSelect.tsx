import { Select } from '@mantine/core';
import { t } from '../language/messages';

/** Which profile's agent is to be started. */
export function ProfileSelect({
  profiles,
  value,
  error,
  onChange,
}: {
  profiles: { alias: string; agent_id: string; model: string }[] | undefined;
  value: string | null;
  error?: string | undefined;
  onChange: (alias: string | null) => void;
}) {
  return (
    <Select
      label={t('Profile')}
      placeholder={t('Choose')}
      required
      searchable
      openOnFocus={false}
      data-autofocus
      nothingFoundMessage={t('No such profile')}
      limit={200}
      data={(profiles ?? []).map((row) => ({
        value: row.alias,
        label: `${row.alias} · ${row.agent_id}, ${row.model}`,
      }))}
      value={value}
      onChange={onChange}
      error={error}
    />
  );
}
