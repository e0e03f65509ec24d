import { Alert, Button, Group, NativeSelect, Progress, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, messageOf } from '../../../api/errors';
import { useEvents } from '../../../api/useEvents';
import { Failure } from '../../../components/Failure';
import { bytes, count } from '../../../components/format';
import { Modal } from '../../../components/Modal';
import { notifyDone } from '../../../components/notify';
import { t } from '../../../language/messages';
import { type DataTableShown, KEY } from '../queries';
import { MOST_TABLE_NAME } from '../TableMenu';
import classes from './csv.module.css';
import { MappedColumns } from './MappedColumns';
import { type Goal, goalsOf, problemAt, takenOf } from './mapping';
import { type CsvForm, type CsvImported, type CsvPreview, importCsv, previewCsv } from './requests';

const SEEMS: CsvForm = { encoding: undefined, delimiter: undefined };

interface Props {
  file: File;
  /** Undefined: the rows go into a new table. */
  table?: DataTableShown;
  onClose: () => void;
  onDone: (imported: CsvImported) => void;
}

/** Shows how a CSV file is read and asks where its columns go, before anything is stored. Mounted while it is open. */
export function ImportDialog(props: Props) {
  const { file, table, onClose } = props;
  const [form, setForm] = useState(SEEMS);
  const looked = useQuery({
    queryKey: ['csv-preview', file.name, file.size, file.lastModified, form],
    queryFn: ({ signal }) => previewCsv(file, form, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  const found = looked.data;
  return (
    <Modal
      opened
      onClose={onClose}
      title={
        table
          ? t('Import “{file}” into “{table}”', { file: file.name, table: table.name })
          : t('Import “{name}”', { name: file.name })
      }
      size="xl"
    >
      <Stack>
        <Group grow align="flex-start">
          <NativeSelect
            label={t('Delimiter')}
            value={form.delimiter ?? found?.delimiter ?? 'comma'}
            data={DELIMITERS}
            onChange={({ currentTarget: { value } }) =>
              setForm({ ...form, delimiter: DELIMITERS.find((each) => each.value === value)?.value })
            }
          />
          <NativeSelect
            label={t('Encoding')}
            value={form.encoding ?? found?.encoding ?? 'utf-8'}
            data={ENCODINGS}
            onChange={({ currentTarget: { value } }) =>
              setForm({ ...form, encoding: ENCODINGS.find((each) => each.value === value)?.value })
            }
          />
        </Group>
        {looked.error && <Failure error={looked.error} onRetry={() => void looked.refetch()} />}
        {found && !looked.error && (
          <Rest
            key={found.columns.map(({ name }) => name).join('\n')}
            found={found}
            old={looked.isPlaceholderData}
            {...props}
          />
        )}
      </Stack>
    </Modal>
  );
}

const DELIMITERS = [
  { value: 'comma', label: t('comma (,)') },
  { value: 'semicolon', label: t('semicolon (;)') },
  { value: 'tab', label: 'tab' },
  { value: 'pipe', label: t('vertical bar (|)') },
] as const;

const ENCODINGS = [
  { value: 'utf-8', label: 'UTF-8' },
  { value: 'utf-16', label: 'UTF-16' },
  { value: 'windows-1252', label: t('Windows 1252') },
  { value: 'latin-1', label: t('Latin-1 (ISO 8859-1)') },
] as const;

/** Mounted anew for other columns. old: another form was chosen, in which the file is not read yet. */
function Rest({ file, table, found, old, onClose, onDone }: Props & { found: CsvPreview; old: boolean }) {
  const client = useQueryClient();
  const [goals, setGoals] = useState<Goal[]>(() => goalsOf(found, table?.columns));
  const [name, setName] = useState(() => file.name.replace(/\.[^.]*$/, '').slice(0, MOST_TABLE_NAME));
  const [progress] = useState(() => Math.random().toString(36).slice(2));
  const reading = useReading(progress);
  const columns = takenOf(goals);
  const fits = goals.every((_, place) => problemAt(goals, place, table?.columns) === '');
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => {
      const { encoding, delimiter } = found;
      const target = table ? { id: table.id } : { name: name.trim() };
      return importCsv(target, file, { form: { encoding, delimiter }, columns, progress });
    },
    onMutate: reading.begin,
    onSuccess: (imported) => {
      const rows = imported.importedRowCount;
      notifyDone(t('{rows, plural, one {# row imported.} other {# rows imported.}}', { rows }));
      onDone(imported);
    },
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
  });
  return (
    <>
      {!table && (
        <TextInput
          label={t('Name of the new table')}
          maxLength={MOST_TABLE_NAME}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      )}
      <MappedColumns found={found} goals={goals} table={table} onGoals={setGoals} />
      <FirstRows found={found} />
      {error && <Refused error={error} />}
      {isPending && <Reading file={file} {...reading} />}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onClose} disabled={isPending}>
          {t('Cancel')}
        </Button>
        <Button
          loading={isPending}
          disabled={old || !fits || columns.length === 0 || (!table && !name.trim())}
          onClick={() => mutate()}
        >
          {t('Import')}
        </Button>
      </Group>
    </>
  );
}

function FirstRows({ found }: { found: CsvPreview }) {
  const columns = found.columns.map(({ name }, place) => ({ key: `${place}`, name, place }));
  const rows = found.rows.map((cells, place) => ({ key: `${place}`, cells }));
  return (
    <section className={classes.rows} aria-label={t('First rows of the file')} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(({ key, name }) => (
              <th key={key} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key}>
              {columns.map(({ key: column, place }) => (
                <td key={column}>{cells[place]}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The cells that do not fit, by line and column. */
function Refused({ error }: { error: Error }) {
  const fields = error instanceof ApiError ? Object.entries(error.fields) : [];
  return (
    <Alert color="red" title={t('No row was imported')} role="alert">
      {fields.length === 0 && <Text size="sm">{messageOf(error)}</Text>}
      <ul className={classes.faults}>
        {fields.map(([field, why]) => (
          <li key={field}>
            <b>{field}</b>: {why}
          </li>
        ))}
      </ul>
    </Alert>
  );
}

interface Read {
  phase: string;
  rows: number;
  /** Rows of the file, once all of them are checked. */
  all: number;
}

const NOTHING: Read = { phase: '', rows: 0, all: 0 };

/** How far the daemon is with an import. */
function useReading(progress: string) {
  const [read, setRead] = useState(NOTHING);
  useEvents(
    'workflows',
    ({ type, data }) => {
      if (type !== 'data_table.importing' || data.progress !== progress) return;
      const [phase, rows] = [String(data.phase), Number(data.rows)];
      setRead((before) => ({ phase, rows, all: phase === 'checking' ? rows : before.all }));
    },
    () => undefined,
  );
  return { read, begin: () => setRead(NOTHING) };
}

function Reading({ file, read: { phase, rows, all } }: { file: File; read: Read }) {
  const storing = phase === 'storing';
  const said = storing
    ? t('{rows} of {all} rows stored', { rows: count(rows), all: count(all) })
    : phase
      ? t('{rows} rows checked', { rows: count(rows) })
      : t('{file} on their way', { file: bytes(file.size) });
  return (
    <div>
      <Progress value={storing && all ? (100 * rows) / all : 100} striped={!storing} animated={!storing} />
      <Text size="sm" c="dimmed" role="status">
        {said}
      </Text>
    </div>
  );
}
