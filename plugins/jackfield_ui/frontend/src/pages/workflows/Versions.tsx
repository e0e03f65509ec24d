import { Button, Drawer, Group, Select, Skeleton, Stack, Text, Title, UnstyledButton } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { api } from '../../api/client';
import { confirm } from '../../components/confirm';
import { Failure } from '../../components/Failure';
import { notifyDone, notifyError } from '../../components/notify';
import { TextDialog, type TextQuestion } from '../../components/TextDialog';
import { RelativeTime } from '../../components/values';
import { t } from '../../language/messages';
import { FieldChanges, NodeFieldChanges } from './FieldChanges';
import { type Difference, difference, isSame, type NodeChange, wireText } from './model/diff';
import { fieldWords } from './model/fieldWords';
import { presentDoc, useEditor, useStore } from './model/store';
import { labelVersion, readVersion, readWorkflow, useVersions, workflowKey } from './queries';
import classes from './versions.module.css';

/** All versions; the chosen one against what is on the canvas, and the way back to it. */
export default function Versions({ onClose, editable }: { onClose: () => void; editable: boolean }) {
  const id = useEditor((state) => state.id);
  const present = useEditor((state) => state.version);
  const versions = useVersions(id);
  const [chosen, setChosen] = useState<number>();
  const [naming, setNaming] = useState<TextQuestion>();
  const client = useQueryClient();
  const ask = (version: number, label: string) =>
    setNaming({
      title: t('Name version {version}', { version }),
      label: t('Name'),
      description: t('A named version is kept, however many follow it. Leave the name empty to remove it.'),
      initial: label,
      maxLength: 100,
      optional: true,
      action: t('Save'),
      run: async (text) => {
        await labelVersion(id, version, text);
        await client.invalidateQueries({ queryKey: [...workflowKey(id), 'versions'], exact: true });
      },
    });
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="xl"
      title={t('Versions')}
      closeButtonProps={{ 'aria-label': t('Close the versions') }}
      attributes={{ header: { role: 'none' } }}
    >
      <div className={classes.columns}>
        <nav aria-label={t('Versions')} className={classes.list}>
          {versions.error && <Failure error={versions.error} onRetry={() => void versions.refetch()} />}
          {versions.isPending && <Skeleton height={120} />}
          {versions.data?.data.map(({ version, createdAt, author, label }) => (
            <UnstyledButton
              key={version}
              className={classes.version}
              aria-current={version === chosen || undefined}
              onClick={() => setChosen(version)}
            >
              <span className={classes.number}>
                {version === present
                  ? t('Version {version}, current', { version })
                  : t('Version {version}', { version })}
              </span>
              {label && <span className={classes.label}>{label}</span>}
              <span className={classes.when}>
                <RelativeTime time={createdAt} />
                {author && ` ${t('by {author}', { author })}`}
              </span>
            </UnstyledButton>
          ))}
        </nav>
        <section className={classes.detail} aria-label={t('Differences')}>
          {chosen === undefined ? (
            <Text c="dimmed">{t('Choose a version to compare it with the canvas, or with another version.')}</Text>
          ) : (
            <Chosen
              key={chosen}
              version={chosen}
              numbers={versions.data?.data.map(({ version }) => version) ?? []}
              editable={editable}
              onName={() => ask(chosen, versions.data?.data.find(({ version }) => version === chosen)?.label ?? '')}
              onRestored={onClose}
            />
          )}
        </section>
      </div>
      {naming && <TextDialog question={naming} onClose={() => setNaming(undefined)} />}
    </Drawer>
  );
}

function Chosen({
  version,
  numbers,
  editable,
  onName,
  onRestored,
}: {
  version: number;
  /** All versions that there are. */
  numbers: readonly number[];
  editable: boolean;
  onName: () => void;
  onRestored: () => void;
}) {
  const store = useStore();
  const client = useQueryClient();
  const doc = useEditor(presentDoc);
  const id = useEditor((state) => state.id);
  const [against, setAgainst] = useState<number>();
  const old = useVersion(id, version);
  const other = useVersion(id, against);
  const now = against === undefined ? doc : other.data;
  const found = useMemo(() => (old.data && now ? difference(old.data, now) : undefined), [old.data, now]);
  const restore = useMutation({
    mutationFn: async () => {
      await api.POST('/api/v1/workflows/{workflow_id}/versions/{version}/restore', {
        params: { path: { workflow_id: id, version: String(version) } },
      });
      return readWorkflow(id);
    },
    onSuccess: (saved) => {
      store.replace(saved);
      client.setQueryData(workflowKey(id), saved);
      void client.invalidateQueries({ queryKey: ['workflows', 'list'] });
      void client.invalidateQueries({ queryKey: [...workflowKey(id), 'versions'], exact: true });
      notifyDone(t('Version {version} was restored as version {newVersion}.', { version, newVersion: saved.version }));
      onRestored();
    },
    onError: (error) => notifyError(error, t('Version {version} cannot be restored', { version })),
  });
  const ask = async () => {
    const body = store.dirty
      ? t('It becomes the newest version. Your unsaved changes are taken off the canvas; undo brings them back.')
      : t('It becomes the newest version; the current one is kept.');
    if (
      await confirm({ title: t('Restore version {version}?', { version }), body, action: t('Restore'), danger: false })
    )
      restore.mutate();
  };
  if (other.error && against !== undefined) return <Failure error={other.error} onRetry={() => void other.refetch()} />;
  if (old.error) return <Failure error={old.error} onRetry={() => void old.refetch()} />;
  if (!found) return <Skeleton height={160} />;
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={2}>{t('Version {version} compared', { version })}</Title>
        {editable && (
          <Group gap="sm">
            <Button variant="default" onClick={onName}>
              {t('Name')}
            </Button>
            <Button
              variant="default"
              onClick={() => void ask()}
              loading={restore.isPending}
              disabled={against === undefined && isSame(found)}
            >
              {t('Restore')}
            </Button>
          </Group>
        )}
      </Group>
      <Select
        label={t('Compare with')}
        data={[
          { value: '', label: t('The canvas') },
          ...numbers
            .filter((one) => one !== version)
            .map((one) => ({ value: String(one), label: t('Version {one}', { one }) })),
        ]}
        value={against === undefined ? '' : String(against)}
        onChange={(next) => setAgainst(next ? Number(next) : undefined)}
        allowDeselect={false}
        w={200}
      />
      {isSame(found) ? <Text c="dimmed">{t('There are no differences.')}</Text> : <Shown found={found} />}
    </Stack>
  );
}

function useVersion(id: string, version: number | undefined) {
  return useQuery({
    queryKey: [...workflowKey(id), 'versions', version],
    queryFn: ({ signal }) => readVersion(id, version ?? 0, signal),
    enabled: version !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: undefined,
  });
}

function Shown({ found }: { found: Difference }) {
  return (
    <Stack gap="md">
      <Names title={t('Nodes added')} tone="good" names={found.added} />
      <Names title={t('Nodes removed')} tone="bad" names={found.removed} />
      {found.changed.map((change) => (
        <Changed key={change.name} change={change} />
      ))}
      <Names title={t('Wires added')} tone="good" names={found.wiresAdded.map(wireText)} />
      <Names title={t('Wires removed')} tone="bad" names={found.wiresRemoved.map(wireText)} />
      {found.rest.length > 0 && (
        <div>
          <Title order={3}>{t('The workflow itself')}</Title>
          <FieldChanges fields={found.rest} words={(path) => fieldWords(path)} />
        </div>
      )}
      {found.moved > 0 && (
        <Text size="sm" c="dimmed">
          {t('{moved, plural, one {# node was moved.} other {# nodes were moved.}}', { moved: found.moved })}
        </Text>
      )}
    </Stack>
  );
}

function Changed({ change }: { change: NodeChange }) {
  const { name, was, fields } = change;
  return (
    <div>
      <Title order={3}>
        {name}
        {was !== undefined && ` ${t('(was “{was}”)', { was })}`}
      </Title>
      {fields.length ? <NodeFieldChanges change={change} /> : <Text size="sm">{t('Only the name was changed.')}</Text>}
    </div>
  );
}

function Names({ title, tone, names }: { title: string; tone: 'good' | 'bad'; names: readonly string[] }) {
  if (!names.length) return null;
  return (
    <div>
      <Title order={3}>{title}</Title>
      <ul className={classes.names} data-tone={tone}>
        {names.map((name, index) => (
          <li key={index}>{name}</li>
        ))}
      </ul>
    </div>
  );
}
