import {
  Alert,
  Anchor,
  Button,
  Checkbox,
  FileInput,
  Group,
  List,
  Paper,
  Stack,
  Text,
  Textarea,
  Title,
} from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link } from 'react-router';
import { segment } from '../../api/client';
import { ApiError } from '../../api/errors';
import type { Schemas } from '../../api/types';
import { areaPath } from '../../app/areas';
import { useMay } from '../../app/session';
import { type Column, DataTable } from '../../components/DataTable';
import { explained } from '../../components/notify';
import { Page } from '../../components/Page';
import { StatusBadge, type Tone } from '../../components/StatusBadge';
import { IconUpload } from '../../icons/drawn';
import { t } from '../../language/messages';
import { type MovingIn, moveIn } from './queries';

type Report = Schemas['ReportShown'];
type Result = Report['results'][number];

const WORKFLOWS = areaPath('workflows');
const VERDICTS: Record<string, { label: string; tone: Tone }> = {
  runs: { label: t('Runs'), tone: 'good' },
  setup: { label: t('Runs once set up'), tone: 'warn' },
  attention: { label: t('Needs attention'), tone: 'warn' },
  cannot: { label: t('Cannot run'), tone: 'bad' },
};

/** Takes over what n8n has: files of its exports or its database. */
export default function MoveIn() {
  const may = useMay('member');
  const client = useQueryClient();
  const work = useMutation({
    mutationFn: moveIn,
    onSuccess: ({ dryRun }) => dryRun || client.invalidateQueries(),
  });
  return (
    <Page
      title={t('Move in from n8n')}
      subtitle={t('Workflows, credentials and variables, with the links between them.')}
      crumbs={[{ label: t('Workflows'), to: WORKFLOWS }]}
    >
      <Stack gap="md">
        {may ? (
          <Paper p="md">
            <Sources busy={work.isPending} onStart={(given) => work.mutate(given)} />
          </Paper>
        ) : (
          <Text>{t('Your role may not import workflows.')}</Text>
        )}
        {work.error && (
          <Alert color="red" role="alert" title={t('Nothing was imported')}>
            {failure(work.error)}
          </Alert>
        )}
        {work.data && <Outcome report={work.data} />}
      </Stack>
    </Page>
  );
}

function Sources({ busy, onStart }: { busy: boolean; onStart: (given: MovingIn) => void }) {
  const [files, setFiles] = useState<File[]>([]);
  const [encryptionKey, setKey] = useState('');
  const [activate, setActivate] = useState(false);
  const start = (dryRun: boolean) => onStart({ files, encryptionKey, activate, dryRun });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start(false);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <FileInput
          label={t('Files')}
          description={t('Files that n8n exported (.json, .zip), or its database.sqlite.')}
          placeholder={t('Choose files')}
          accept=".json,.zip,.sqlite"
          leftSection={<IconUpload size={16} aria-hidden="true" />}
          multiple
          clearable
          clearButtonProps={{ 'aria-label': t('Choose none') }}
          value={files}
          onChange={setFiles}
        />
        <Textarea
          label={t('Encryption key')}
          description={t(
            'N8N_ENCRYPTION_KEY of that n8n, or encryptionKey in ~/.n8n/config. Exports with --decrypted need none.',
          )}
          autoComplete="off"
          spellCheck={false}
          className="jf-mono"
          value={encryptionKey}
          onChange={(event) => setKey(event.currentTarget.value)}
        />
        <Checkbox
          label={t('Activate what is active in n8n')}
          description={t('Stop n8n first, so that nothing runs twice.')}
          checked={activate}
          onChange={(event) => setActivate(event.currentTarget.checked)}
        />
        <Group justify="flex-end">
          <Button variant="default" disabled={!files.length || busy} onClick={() => start(true)}>
            {t('Try without changes')}
          </Button>
          <Button type="submit" loading={busy} disabled={!files.length}>
            {t('Import')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const COLUMNS: readonly Column<Result>[] = [
  { key: 'name', title: t('Name'), primary: true, sort: ({ name }) => name, render: (row) => <Name row={row} /> },
  { key: 'kind', title: t('Kind'), sort: ({ kind }) => kind, render: ({ kind }) => kind },
  { key: 'status', title: t('Result'), sort: ({ status }) => status, render: ({ status }) => status },
  {
    key: 'verdict',
    title: t('Here'),
    sort: ({ verdict }) => verdict ?? '',
    render: ({ verdict }) =>
      verdict ? <StatusBadge status={verdict} {...(VERDICTS[verdict] ?? { label: verdict })} /> : null,
  },
  {
    key: 'active',
    title: t('State'),
    render: ({ active }) => (active === null ? null : <StatusBadge status={active ? 'active' : 'inactive'} />),
  },
  {
    key: 'problems',
    title: t('Remarks'),
    render: ({ problems }) => (
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {problems.map(({ path, message }) => `${path}: ${message}`).join(' ')}
      </Text>
    ),
  },
];

function Name({ row: { kind, id, name } }: { row: Result }) {
  if (kind !== 'workflow' || !id) return <>{name}</>;
  return (
    <Anchor component={Link} to={`${WORKFLOWS}/${segment(id)}`}>
      {name}
    </Anchor>
  );
}

function Outcome({ report }: { report: Report }) {
  return (
    <Stack gap="md" component="section" aria-label={t('Report')}>
      <Alert
        color={report.complete ? 'glaze' : 'yellow'}
        role="status"
        title={
          report.dryRun
            ? t('This would happen')
            : report.complete
              ? t('Everything is here')
              : t('Not everything is here')
        }
      >
        <List size="sm">
          {report.next.map((step) => (
            <List.Item key={step}>{step}</List.Item>
          ))}
          {report.unreadable.map(({ origin, reason }) => (
            <List.Item key={`${origin} ${reason}`}>
              {origin}: {reason}
            </List.Item>
          ))}
          {report.notImported.map(({ kind, count, reason }) => (
            <List.Item key={kind}>
              {count} × {kind}: {reason}
            </List.Item>
          ))}
        </List>
      </Alert>
      <Title order={2}>{t('Report')}</Title>
      <DataTable
        label={t('Documents')}
        columns={COLUMNS}
        rows={report.results}
        rowKey={({ kind, foreignId, origin, status }) => `${kind} ${foreignId} ${origin} ${status}`}
        textOf={({ name, status, verdict }) => `${name} ${status} ${verdict ?? ''}`}
      />
    </Stack>
  );
}

function failure(error: unknown): string {
  if (error instanceof ApiError && error.status === 413) {
    return t(
      'The files are larger than server.body_limit allows. `jackfield import n8n` on the daemon’s computer has no such limit.',
    );
  }
  return explained(error);
}
