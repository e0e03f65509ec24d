import { MultiSelect, Select } from '@mantine/core';
import { t } from '../../../../language/messages';
import type { FieldChoice } from '../model';
import type { Option } from '../useOptions';
import { helpOf } from './help';
import { LoadedMultiSelect, LoadedSelect } from './Loaded';
import { type ControlProps, useCommon } from './props';
import { useListSource } from './useListSource';

const MANY = 8;

/** Values of any plain type: Mantine works with their JSON, because its own are texts. */
export function SelectControl(props: ControlProps) {
  const { field } = props;
  return field.load ? <LoadedChoice {...props} load={field.load} /> : <FixedChoice {...props} />;
}

function FixedChoice(props: ControlProps) {
  const { field, value, onChange } = props;
  const options = offered(field.choices ?? [], value === undefined || value === '' ? [] : [value]);
  const present = value === undefined || value === null ? null : JSON.stringify(value);
  const chosen = options.find((option) => JSON.stringify(option.value) === present);
  const common = useCommon(props);
  return (
    <Select
      {...common}
      description={
        chosen?.unavailable
          ? t('Cannot run here: {unavailable}', { unavailable: chosen.unavailable })
          : (common.description ?? helpOf(chosen ?? {}))
      }
      placeholder={common.placeholder ?? t('Choose')}
      searchable={options.length > MANY}
      nothingFoundMessage={t('Nothing found.')}
      clearable={!field.required && (field.default ?? undefined) === undefined}
      clearButtonProps={{ 'aria-label': t('Clear {label}', { label: field.label }) }}
      allowDeselect={false}
      data={options.map((option) => ({ value: JSON.stringify(option.value), label: option.label }))}
      value={chosen ? present : null}
      onChange={(next) => onChange(next === null ? undefined : JSON.parse(next))}
    />
  );
}

function LoadedChoice({ load, ...props }: ControlProps & { load: NonNullable<ControlProps['field']['load']> }) {
  const { field, value, onChange } = props;
  const source = useListSource(load);
  return (
    <LoadedSelect
      field={field}
      look={useCommon(props)}
      source={source}
      choices={field.choices ?? []}
      value={value === undefined || value === null ? '' : String(value)}
      shown=""
      onChoose={(next) => onChange(next === '' ? undefined : next)}
    />
  );
}

export function MultiSelectControl(props: ControlProps) {
  const { field, value, onChange } = props;
  const common = useCommon(props);
  const given = value === undefined || value === '' ? [] : Array.isArray(value) ? value : [value];
  if (field.load) return <LoadedMultiSelect {...props} load={field.load} given={given} />;
  const options = offered(field.choices ?? [], given);
  return (
    <MultiSelect
      {...common}
      placeholder={given.length ? undefined : (common.placeholder ?? t('Choose'))}
      searchable={options.length > MANY}
      nothingFoundMessage={t('Nothing found.')}
      data={options.map((option) => ({ value: JSON.stringify(option.value), label: option.label }))}
      value={given.map((one) => JSON.stringify(one))}
      onChange={(next) => onChange(next.map((one) => JSON.parse(one) as unknown))}
    />
  );
}

/** What can run, and what is set already, which says so where it cannot. */
function offered(choices: readonly FieldChoice[], present: readonly unknown[]): Option[] {
  const set = new Set(present.map((value) => JSON.stringify(value)));
  const some = choices.filter((choice) => !choice.unavailable || set.has(JSON.stringify(choice.value)));
  return withPresent(some, present).map((one) =>
    one.unavailable ? { ...one, label: t('{label} (cannot run here)', { label: one.label }) } : one,
  );
}

/** Each once, with those that are set and that nobody offers: they are shown as they are. */
export function withPresent(choices: readonly Option[], present: readonly unknown[]): Option[] {
  const others = present.map((value) => ({ value: value as FieldChoice['value'], label: String(value) }));
  const found = new Map<string, Option>();
  for (const choice of [...choices, ...others]) {
    const key = JSON.stringify(choice.value);
    if (!found.has(key)) found.set(key, choice);
  }
  return [...found.values()];
}
