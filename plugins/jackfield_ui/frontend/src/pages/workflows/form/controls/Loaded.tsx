/** Choices that are asked for when the field is opened. Any text may be typed instead: an id that somebody knows. */

import { Anchor, Group, MultiSelect, Select, type SelectProps, Text } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../../../language/messages';
import { useFormState, useTyped } from '../context';
import type { FieldChoice, LoadedList, NodeField } from '../model';
import { type Option, type OptionSource, type Options, useOptions } from '../useOptions';
import { type ControlProps, useCommon } from './props';
import { withPresent } from './SelectControl';
import { useListSource } from './useListSource';

interface Props {
  field: NodeField;
  look: SelectProps;
  source: OptionSource;
  /** What may be chosen without asking. */
  choices: readonly FieldChoice[];
  value: string;
  /** How the value is called, where the document knows it; empty: by the list, else by itself. */
  shown: string;
  /** value: as the list has it, a typed one as a text; empty: nothing. */
  onChoose: (value: Option['value'], chosen: Option | undefined) => void;
}

/** look: the label and the rest of what the input gets from its field. */
export function LoadedSelect({ source, choices, value, shown, onChoose, field, look }: Props) {
  const options = useOptions(source);
  const typed = useTyped();
  const [search, setSearch] = useState('');
  const listed: readonly Option[] = [...choices, ...options.options];
  const known = named(withPresent(inTexts(listed), value ? [value] : []), value, shown);
  const present = known.find((one) => one.value === value)?.label ?? '';
  const own =
    search !== '' && search !== present && !known.some(({ label, value: id }) => label === search || id === search);
  const data = own ? [...known, { value: search, label: t('Use “{search}”', { search }) }] : known;
  const choose = (next: string) => {
    const chosen = listed.find((one) => String(one.value) === next);
    onChoose(chosen?.value ?? next, chosen);
  };
  return (
    <div>
      <Select
        {...look}
        placeholder={look.placeholder ?? t('Choose, or type an ID')}
        searchable
        searchValue={search}
        selectFirstOptionOnChange
        nothingFoundMessage={options.message || undefined}
        clearable={!field.required && value !== ''}
        clearButtonProps={{ 'aria-label': t('Clear {label}', { label: field.label }) }}
        allowDeselect={false}
        filter={source.searchable ? ({ options: all }) => all : undefined}
        maxDropdownHeight={280}
        data={data.map((one) => ({ value: String(one.value), label: one.label }))}
        value={value || null}
        onDropdownOpen={options.open}
        onSearchChange={(text) => {
          if (text !== present && text !== search && typed(text, null)) return;
          setSearch(text);
          options.search(text === present ? '' : text);
        }}
        onBlur={() => own && options.state !== 'ready' && choose(search)}
        onChange={(next) => choose(next ?? '')}
      />
      <State options={options} />
    </div>
  );
}

export function LoadedMultiSelect({
  load,
  given,
  ...props
}: ControlProps & { load: LoadedList; given: readonly unknown[] }) {
  const options = useOptions(useListSource(load));
  const common = useCommon(props);
  const [search, setSearch] = useState('');
  const present = given.map(String);
  const listed: readonly Option[] = [...(props.field.choices ?? []), ...options.options];
  const known = withPresent(inTexts(listed), present);
  const chosen = (text: string) =>
    given.find((old) => String(old) === text) ?? listed.find(({ value }) => String(value) === text)?.value ?? text;
  const own = search !== '' && !known.some(({ label, value }) => label === search || value === search);
  const data = own ? [...known, { value: search, label: t('Use “{search}”', { search }) }] : known;
  return (
    <div>
      <MultiSelect
        {...common}
        placeholder={present.length ? undefined : (common.placeholder ?? t('Choose, or type IDs'))}
        searchable
        searchValue={search}
        nothingFoundMessage={options.message || undefined}
        filter={load.searchable ? ({ options: all }) => all : undefined}
        data={data.map((one) => ({ value: String(one.value), label: one.label }))}
        value={present}
        onDropdownOpen={options.open}
        onSearchChange={(text) => {
          setSearch(text);
          options.search(text);
        }}
        onChange={(next) => props.onChange(next.map(chosen))}
      />
      <State options={options} />
    </div>
  );
}

function inTexts(choices: readonly Option[]): Option[] {
  return choices.map((one) => ({ ...one, value: String(one.value) }));
}

function named(choices: readonly Option[], value: string, shown: string): Option[] {
  return choices.map((one) => (one.value === value && one.label === value && shown ? { ...one, label: shown } : one));
}

/** How the list stands, below its field. */
function State({ options }: { options: Options }) {
  const { editable } = useFormState();
  const { state, message, retry, more } = options;
  if (!editable || state === 'closed' || (state === 'ready' && !more)) return null;
  return (
    <Group gap="xs" mt={4} role="status">
      <Text size="xs" c={state === 'failed' ? 'var(--jf-bad)' : 'dimmed'} style={{ overflowWrap: 'anywhere' }}>
        {state === 'ready' ? t('There are more entries.') : message}
      </Text>
      {state === 'failed' && (
        <Anchor component="button" type="button" size="xs" onClick={retry}>
          {t('Try again')}
        </Anchor>
      )}
      {state === 'ready' && more && (
        <Anchor component="button" type="button" size="xs" onClick={more}>
          {t('Load more')}
        </Anchor>
      )}
    </Group>
  );
}
