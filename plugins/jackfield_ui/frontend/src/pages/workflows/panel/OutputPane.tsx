import { Alert, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { isRecord, messageOf } from '../../../api/errors';
import { CodeEditor } from '../../../components/CodeEditor';
import { Items } from '../../../components/items/Items';
import { notifyError } from '../../../components/notify';
import { useMoreItems } from '../../../components/useMoreItems';
import { Duration } from '../../../components/values';
import { IconPencil, IconPin, IconPinnedOff } from '../../../icons/drawn';
import { rich, t } from '../../../language/messages';
import * as commands from '../canvas/commands';
import { givenBy, lastRunOf, pinnedOf } from '../model/data';
import { presentDoc, useEditor, useStore } from '../model/store';
import type { Execution, NodeRun } from '../queries';
import { usePanel } from './context';

/** What the node gave in the last run, and data pinned in its place. */
export function OutputPane({
  name,
  labels,
  execution,
}: {
  name: string;
  labels: readonly string[];
  execution: Execution | undefined;
}) {
  const store = useStore();
  const doc = useEditor(presentDoc);
  const { editable } = usePanel();
  const [wanted, setWanted] = useState('');
  const [output, setOutput] = useState(0);
  const [writing, setWriting] = useState(false);
  const run = lastRunOf(execution, name);
  const pinned = pinnedOf(doc, name);
  const found = useMemo(() => givenBy(doc, execution, name, output), [doc, execution, name, output]);
  const given = useMoreItems(found.place, found.items, found.total);
  const { items, total } = given;
  const outputs = Math.max(labels.length, run?.outputs.length ?? 0);
  const pin = (value: unknown) => commands.setPin(store, name, value);
  const all = useMutation({
    mutationFn: () => commands.lastOutput(store.doc, name, execution),
    onSuccess: pin,
    onError: (error) => notifyError(error, t('It cannot be pinned')),
  });
  if (writing) {
    const first = pinned ?? (items.length ? items : [{ json: {} }]);
    return (
      <EditPin
        first={first}
        onDone={(value) => {
          if (value) pin(value);
          setWriting(false);
        }}
      />
    );
  }
  return (
    <Stack gap="sm">
      {editable && (
        <Group gap="xs">
          {pinned ? (
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<IconPinnedOff size={14} aria-hidden="true" />}
              onClick={() => pin(undefined)}
            >
              {t('Unpin')}
            </Button>
          ) : (
            <Button
              size="compact-sm"
              variant="default"
              disabled={!total || output > 0}
              loading={all.isPending}
              leftSection={<IconPin size={14} aria-hidden="true" />}
              onClick={() => all.mutate()}
            >
              {t('Pin this data')}
            </Button>
          )}
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconPencil size={14} aria-hidden="true" />}
            onClick={() => setWriting(true)}
          >
            {pinned ? t('Edit pinned data') : t('Write pinned data')}
          </Button>
        </Group>
      )}
      {pinned && (
        <Alert color="violet" p="xs">
          {t('Pinned: runs by hand and test calls use this instead of running the node.')}
        </Alert>
      )}
      {run?.error?.message && !pinned && (
        <Alert color="red" p="xs" title={t('The node failed')} role="alert">
          <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {run.error.message}
          </Text>
        </Alert>
      )}
      {outputs > 1 && (
        <SegmentedControl
          size="xs"
          aria-label={t('Output')}
          value={String(output)}
          onChange={(next) => setOutput(Number(next))}
          data={Array.from({ length: Math.min(outputs, 8) }, (_, index) => ({
            value: String(index),
            label: labels[index] || String(index),
          }))}
        />
      )}
      {total ? (
        <Items
          given={given}
          place={found.place}
          label={t('the output')}
          keep="panel-output"
          first="schema"
          wanted={wanted}
          onWanted={setWanted}
          about={run && !pinned && <Took run={run} />}
        />
      ) : (
        <Text c="dimmed">{run ? t('No items came out here.') : t('This node has not run yet.')}</Text>
      )}
    </Stack>
  );
}

function Took({ run: { duration, reused } }: { run: NodeRun }) {
  return (
    <>
      {rich('in {duration}', { duration: <Duration ms={duration} /> })}
      {reused && `, ${t('in an earlier run')}`}
    </>
  );
}

function EditPin({ first, onDone }: { first: unknown; onDone: (value: unknown) => void }) {
  const [text, setText] = useState(() => JSON.stringify(first, null, 2));
  const [problem, setProblem] = useState<string>();
  const submit = () => {
    try {
      const found: unknown = JSON.parse(text);
      const list = Array.isArray(found) ? found : [found];
      if (!list.every(isRecord)) throw new Error(t('Every item must be an object.'));
      onDone(list.map((one) => (isRecord(one.json) ? one : { json: one })));
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {t('A list of items: objects, or objects with json and binary.')}
      </Text>
      <CodeEditor
        label={t('Pinned data')}
        language="json"
        value={text}
        onChange={setText}
        minHeight={240}
        maxHeight="56dvh"
      />
      {problem && (
        <Text c="var(--jf-bad)" size="sm" role="alert">
          {problem}
        </Text>
      )}
      <Group gap="xs">
        <Button size="compact-sm" onClick={submit}>
          {t('Pin')}
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => onDone(undefined)}>
          {t('Cancel')}
        </Button>
      </Group>
    </Stack>
  );
}
