import { Anchor, Button, FileInput, Group, Input, List, Skeleton, Stack, Tabs, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, lazy, Suspense, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { segment } from '../../api/client';
import { messageOf } from '../../api/errors';
import type { Schemas } from '../../api/types';
import { areaPath } from '../../app/areas';
import { CodeEditor } from '../../components/CodeEditor';
import { Modal } from '../../components/Modal';
import { explained, notifyDone } from '../../components/notify';
import { IconUpload } from '../../icons/drawn';
import { rich, t } from '../../language/messages';
import { moveWorkflow } from './list/folders';
import { createWorkflow, importWorkflows } from './queries';

const Gallery = lazy(() => import('./templates/Gallery'));

/** Begins a workflow: empty, from an example, from a text, or from files. `how`: what the address asks for, null while it is closed. */
export function NewWorkflow({
  how,
  folder,
  onClose,
}: {
  how: string | null;
  /** Id of the folder that it is made in. */
  folder: string | null;
  onClose: () => void;
}) {
  return (
    <Modal opened={how !== null} onClose={onClose} title={t('New workflow')} size="xl">
      {how !== null && <Ways first={FIRST.get(how) ?? 'empty'} folder={folder} onClose={onClose} />}
    </Modal>
  );
}

const FIRST = new Map([
  ['import', 'paste'],
  ['example', 'example'],
]);

function Ways({ first, folder, onClose }: { first: string; folder: string | null; onClose: () => void }) {
  return (
    <Tabs defaultValue={first} keepMounted={false}>
      <Tabs.List mb="md">
        <Tabs.Tab value="empty">{t('Empty')}</Tabs.Tab>
        <Tabs.Tab value="example">{t('From an example')}</Tabs.Tab>
        <Tabs.Tab value="paste">{t('Paste JSON')}</Tabs.Tab>
        <Tabs.Tab value="files">{t('From files')}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="empty">
        <Empty folder={folder} />
      </Tabs.Panel>
      <Tabs.Panel value="example">
        <Suspense fallback={<Skeleton height={240} />}>
          <Gallery folder={folder} />
        </Suspense>
      </Tabs.Panel>
      <Tabs.Panel value="paste">
        <Pasted folder={folder} onClose={onClose} />
      </Tabs.Panel>
      <Tabs.Panel value="files">
        <Files folder={folder} onClose={onClose} />
        <Text size="sm" mt="md">
          {rich('With credentials, or several that call each other: <link>move in from n8n</link>', {
            link: (inner) => (
              <Anchor component={Link} to={`${areaPath('workflows')}/import`} size="sm">
                {inner}
              </Anchor>
            ),
          })}
        </Text>
      </Tabs.Panel>
    </Tabs>
  );
}

function Empty({ folder }: { folder: string | null }) {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const create = useMutation({
    mutationFn: () =>
      createWorkflow({ name: name.trim(), nodes: [], connections: {}, settings: { executionOrder: 'v1' } }, folder),
    onSuccess: ({ id }) => void navigate(`${areaPath('workflows')}/${segment(id)}`),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={t('Name')}
          required
          maxLength={255}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={create.error && explained(create.error)}
          data-autofocus
        />
        <Group justify="flex-end">
          <Button type="submit" loading={create.isPending} disabled={!name.trim()}>
            {t('Create')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Stores documents; one that is stored is opened, of several a summary is told. */
function useImport(folder: string | null, onClose: () => void) {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: async (documents: unknown) => {
      const report = await importWorkflows(documents);
      for (const { id, status } of report.results) {
        if (id && folder && status === 'created') await moveWorkflow(id, folder);
      }
      return report;
    },
    onSuccess: ({ results, created, updated }) => {
      void client.invalidateQueries({ queryKey: ['workflows'] });
      const only = results.length === 1 ? results[0]?.id : undefined;
      if (results.some(({ id }) => !id)) return;
      onClose();
      if (only) void navigate(`${areaPath('workflows')}/${segment(only)}`);
      else notifyDone(t('{created} workflows imported.', { created: created + updated }));
    },
  });
}

function Pasted({ folder, onClose }: { folder: string | null; onClose: () => void }) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const store = useImport(folder, onClose);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    try {
      const found: unknown = JSON.parse(text);
      setProblem(undefined);
      store.mutate(found);
    } catch (error) {
      setProblem(t('This is not JSON: {messageOf}', { messageOf: messageOf(error) }));
    }
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Input.Wrapper
          label={t('Workflow as JSON')}
          description={t('Paste a workflow, or several as a list: a file’s content, or nodes copied in n8n.')}
          error={problem}
        >
          <CodeEditor label={t('Workflow as JSON')} language="json" value={text} onChange={setText} minHeight={200} />
        </Input.Wrapper>
        <Outcome store={store} />
        <Group justify="flex-end">
          <Button type="submit" loading={store.isPending} disabled={!text.trim()}>
            {t('Import')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Files({ folder, onClose }: { folder: string | null; onClose: () => void }) {
  const [files, setFiles] = useState<File[]>([]);
  const [problem, setProblem] = useState<string>();
  const store = useImport(folder, onClose);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const documents: unknown[] = [];
    for (const file of files) {
      try {
        const found: unknown = JSON.parse(await file.text());
        documents.push(...(Array.isArray(found) ? found : [found]));
      } catch (error) {
        setProblem(t('{name} is not JSON: {messageOf}', { name: file.name, messageOf: messageOf(error) }));
        return;
      }
    }
    setProblem(undefined);
    store.mutate(documents);
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack>
        <FileInput
          label={t('Files')}
          description={t('Workflow files of Jackfield or n8n (.json), one or more.')}
          placeholder={t('Choose files')}
          accept="application/json,.json"
          leftSection={<IconUpload size={16} aria-hidden="true" />}
          multiple
          clearable
          clearButtonProps={{ 'aria-label': t('Choose none') }}
          value={files}
          onChange={setFiles}
          error={problem}
        />
        <Outcome store={store} />
        <Group justify="flex-end">
          <Button type="submit" loading={store.isPending} disabled={!files.length}>
            {t('Import')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Outcome({ store }: { store: { error: unknown; data: Schemas['ImportShown'] | undefined } }) {
  if (store.error) {
    return (
      <Text c="var(--jf-bad)" role="alert" style={{ whiteSpace: 'pre-line' }}>
        {explained(store.error)}
      </Text>
    );
  }
  const refused = store.data?.results.filter(({ id }) => !id) ?? [];
  if (!refused.length) return null;
  return (
    <Stack gap="xs" role="alert">
      <Text c="var(--jf-bad)">{t('Not imported:')}</Text>
      <List size="sm">
        {refused.map(({ index, name, problems }) => (
          <List.Item key={index}>
            {name || t('Document {index}', { index: index + 1 })}:{' '}
            {problems.map(({ path, message }) => `${path}: ${message}`).join('; ')}
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}
