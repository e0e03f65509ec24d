import { MultiSelect, Select, Text } from '@mantine/core';
import { useState } from 'react';
import { isRecord } from '../../../../api/errors';
import { t } from '../../../../language/messages';
import { useFormState } from '../context';
import { FieldView } from '../FieldView';
import type { LoadedList, Values } from '../model';
import { type Option, type OptionSource, type Options, useOptions } from '../useOptions';
import { withKey } from '../values';
import type { ControlProps } from './props';
import { Frame, Row } from './Rows';
import { withPresent } from './SelectControl';
import { useListSource } from './useListSource';

const NOTHING: OptionSource = {
  key: [t('no list')],
  searchable: false,
  blocked: ' ',
  page: async () => ({ options: [] }),
};
const MODES = [
  { value: 'defineBelow', label: t('Map each column below') },
  { value: 'autoMapInputData', label: t('Take the columns of the input by their names') },
];

/** n8n's resource mapper: {mappingMode, value, schema, matchingColumns}. */
export function MapperControl(props: ControlProps) {
  const { load } = props.field;
  return load ? <WithColumns {...props} load={load} /> : <Mapper {...props} source={NOTHING} />;
}

function WithColumns({ load, ...props }: ControlProps & { load: LoadedList }) {
  return <Mapper {...props} source={useListSource(load)} />;
}

function Mapper({ field, path, value, onChange, error, source }: ControlProps & { source: OptionSource }) {
  const { editable } = useFormState();
  const given: Values = isRecord(value) ? value : {};
  const mode = typeof given.mappingMode === 'string' ? given.mappingMode : 'defineBelow';
  const columns = useOptions(source);
  const schema = (Array.isArray(given.schema) ? given.schema : []).filter(isRecord);
  const write = (part: Values) => onChange({ mappingMode: mode, ...given, ...part });
  const modes = MODES.some((one) => one.value === mode) ? MODES : [...MODES, { value: mode, label: mode }];
  const known = columnsOf(schema, columns.options);
  return (
    <Frame field={field} error={error}>
      <Select
        label={t('Mapping')}
        data={modes}
        value={mode}
        allowDeselect={false}
        readOnly={!editable}
        onChange={(next) => next && write({ mappingMode: next })}
      />
      {(field.options?.matching === true || hasEntries(given.matchingColumns)) && (
        <Matching given={given} known={known} columns={columns} onChange={write} />
      )}
      {mode === 'defineBelow' && <Mapped {...{ path, schema, known, columns }} value={given.value} onChange={write} />}
    </Frame>
  );
}

/** Columns of the document first: it may know some that the service has no more. */
function columnsOf(schema: readonly Values[], loaded: readonly Option[]): Option[] {
  const own = schema.map(({ id, displayName }) => ({ value: String(id), label: String(displayName ?? id) }));
  return withPresent([...own, ...loaded.map((one) => ({ ...one, value: String(one.value) }))], []);
}

function Matching({
  given,
  known,
  columns,
  onChange,
}: {
  given: Values;
  known: readonly Option[];
  columns: Options;
  onChange: (part: Values) => void;
}) {
  const { editable } = useFormState();
  const chosen = Array.isArray(given.matchingColumns) ? given.matchingColumns.map(String) : [];
  const options = withPresent(known, chosen);
  return (
    <MultiSelect
      label={t('Columns to match on')}
      description={t('A row is found by the values that it has in them.')}
      data={options.map((one) => ({ value: String(one.value), label: one.label }))}
      value={chosen}
      readOnly={!editable}
      searchable
      onDropdownOpen={columns.open}
      nothingFoundMessage={columns.message.trim() || undefined}
      onChange={(matchingColumns) => onChange({ matchingColumns })}
    />
  );
}

function Mapped({
  path,
  schema,
  known,
  columns,
  value,
  onChange,
}: {
  path: ControlProps['path'];
  schema: readonly Values[];
  known: readonly Option[];
  columns: Options;
  value: unknown;
  onChange: (part: Values) => void;
}) {
  const cells: Values = isRecord(value) ? value : {};
  const listed = schema.filter(({ removed, display }) => removed !== true && display !== false);
  const ids = [...new Set([...listed.map(({ id }) => String(id)), ...Object.keys(cells)])];
  const labelOf = (id: string) => known.find((one) => one.value === id)?.label ?? id;
  const add = (id: string) => {
    const before = schema.some((one) => one.id === id);
    const next = before
      ? schema.map((one) => (one.id === id ? withKey(one, 'removed', undefined) : one))
      : [
          ...schema,
          columnOf(
            id,
            known.find((one) => one.value === id),
          ),
        ];
    onChange({ schema: next, value: { ...cells, [id]: cells[id] ?? '' } });
  };
  const remove = (id: string) =>
    onChange({
      schema: schema.map((one) => (one.id === id ? { ...one, removed: true } : one)),
      value: withKey(cells, id, undefined),
    });
  return (
    <>
      {ids.length === 0 && (
        <Text size="xs" c="dimmed">
          {t('No column is mapped yet.')}
        </Text>
      )}
      {ids.map((id) => (
        <Row key={id} title={t('the column {labelOf}', { labelOf: labelOf(id) })} moves={{ remove: () => remove(id) }}>
          <FieldView
            field={{ name: id, control: 'text', label: labelOf(id), default: '' }}
            path={[...path, 'value', id]}
            value={cells[id]}
            onChange={(next) => onChange({ value: { ...cells, [id]: next ?? '' } })}
          />
        </Row>
      ))}
      <AddColumn known={known.filter((one) => !ids.includes(String(one.value)))} columns={columns} onAdd={add} />
    </>
  );
}

/** Any name may be typed: the service may not tell its columns. */
function AddColumn({
  known,
  columns,
  onAdd,
}: {
  known: readonly Option[];
  columns: Options;
  onAdd: (id: string) => void;
}) {
  const { editable } = useFormState();
  const [search, setSearch] = useState('');
  if (!editable) return null;
  const own = search !== '' && !known.some(({ label, value }) => label === search || value === search);
  const data = own ? [...known, { value: search, label: t('Use “{search}”', { search }) }] : known;
  return (
    <Select
      aria-label={t('Add a column')}
      placeholder={t('Add a column')}
      description={columns.message.trim() || undefined}
      data={data.map((one) => ({ value: String(one.value), label: one.label }))}
      value={null}
      searchable
      searchValue={search}
      onSearchChange={setSearch}
      selectFirstOptionOnChange
      nothingFoundMessage={t('Type the name of a column.')}
      onDropdownOpen={columns.open}
      onChange={(id) => {
        if (id) onAdd(id);
        setSearch('');
      }}
    />
  );
}

function hasEntries(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

/** As n8n's own columns are. */
function columnOf(id: string, column: Option | undefined): Values {
  const flags = { required: false, defaultMatch: false, display: true, canBeUsedToMatch: true };
  return { id, displayName: column?.label ?? id, ...flags, type: column?.type || 'string' };
}
