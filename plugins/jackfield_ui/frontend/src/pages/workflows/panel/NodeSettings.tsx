import { ActionIcon, Button, Group, Select, Stack, Switch, Text, Textarea, Title } from '@mantine/core';
import { useState } from 'react';
import { NumberField } from '../../../components/numbers/NumberField';
import { IconTrash } from '../../../icons/drawn';
import { t } from '../../../language/messages';
import { changeNode, connect, type DocNode, disconnect, isSticky, setKey, wiresOf } from '../model/document';
import { partLabel } from '../model/shape';
import { presentDoc, useEditor, useStore } from '../model/store';

/** What holds for any node: errors, retries, notes, and its wires for those who cannot draw them. */
export function NodeSettings({ node, editable }: { node: DocNode; editable: boolean }) {
  const store = useStore();
  const set = (key: string, value: unknown) =>
    store.commit((doc) => changeNode(doc, node.name, (one) => setKey(one, key, value)), `${key} ${node.name}`);
  const toggle = (key: string, label: string, description: string) => (
    <Switch
      label={label}
      description={description}
      checked={node[key] === true}
      disabled={!editable}
      onChange={(event) => set(key, event.currentTarget.checked || undefined)}
    />
  );
  return (
    <Stack gap="md">
      {toggle('disabled', t('Disabled'), t('Its items pass through unchanged.'))}
      <Select
        label={t('When it fails')}
        data={[
          { value: 'stopWorkflow', label: t('Stop the workflow') },
          { value: 'continueRegularOutput', label: t('Go on with the error as data') },
          { value: 'continueErrorOutput', label: t('Send errors to a separate output') },
        ]}
        value={typeof node.onError === 'string' ? node.onError : 'stopWorkflow'}
        onChange={(next) => set('onError', next === 'stopWorkflow' ? undefined : next)}
        allowDeselect={false}
        readOnly={!editable}
      />
      {toggle('retryOnFail', t('Try again when it fails'), t('Before the failure counts.'))}
      {node.retryOnFail === true && (
        <Group grow>
          <NumberField
            label={t('Attempts')}
            decimals={0}
            min={2}
            max={5}
            value={typeof node.maxTries === 'number' ? node.maxTries : 3}
            onChange={(next) => set('maxTries', typeof next === 'number' ? next : undefined)}
            readOnly={!editable}
          />
          <NumberField
            label={t('Pause, in milliseconds')}
            decimals={0}
            min={0}
            max={5000}
            value={typeof node.waitBetweenTries === 'number' ? node.waitBetweenTries : 1000}
            onChange={(next) => set('waitBetweenTries', typeof next === 'number' ? next : undefined)}
            readOnly={!editable}
          />
        </Group>
      )}
      {toggle('executeOnce', t('Run once'), t('With the first item only.'))}
      {toggle(
        'alwaysOutputData',
        t('Always output an item'),
        t('If the node has no output, it outputs one empty item, so that the next node runs.'),
      )}
      <Textarea
        label={t('Notes')}
        autosize
        minRows={2}
        maxRows={10}
        value={node.notes ?? ''}
        onChange={(event) => set('notes', event.currentTarget.value || undefined)}
        readOnly={!editable}
      />
      <Wires node={node} editable={editable} />
      <Text size="xs" c="dimmed">
        {t('{type}, version {typeVersion}', { type: node.type, typeVersion: node.typeVersion ?? t('not given') })}
      </Text>
    </Stack>
  );
}

function Wires({ node, editable }: { node: DocNode; editable: boolean }) {
  const store = useStore();
  const doc = useEditor(presentDoc);
  const [target, setTarget] = useState<string | null>(null);
  const wires = wiresOf(doc.connections).filter(({ source, target: to }) => source === node.name || to === node.name);
  const others = doc.nodes.filter((one) => one.name !== node.name && !isSticky(one)).map(({ name }) => name);
  const add = () => {
    if (!target) return;
    const wire = { source: node.name, type: 'main', output: 0, target, targetType: 'main', input: 0 };
    store.commit((now) => connect(now, wire));
    setTarget(null);
  };
  return (
    <Stack gap="xs">
      <Title order={3}>{t('Wires')}</Title>
      {wires.map((wire) => (
        <Group key={JSON.stringify(wire)} gap="xs" justify="space-between" wrap="nowrap">
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {wire.source === node.name
              ? t('to {target}', { target: wire.target })
              : t('from {source}', { source: wire.source })}
            {wire.type === 'main'
              ? wire.output
                ? `, ${t('output {output}', { output: wire.output })}`
                : ''
              : `, ${partLabel(wire.type)}`}
          </Text>
          {editable && (
            <ActionIcon
              size="sm"
              onClick={() => store.commit((now) => disconnect(now, [wire]))}
              aria-label={
                wire.source === node.name
                  ? t('Delete the wire to {target}', { target: wire.target })
                  : t('Delete the wire from {source}', { source: wire.source })
              }
            >
              <IconTrash size={14} />
            </ActionIcon>
          )}
        </Group>
      ))}
      {wires.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('No wires.')}
        </Text>
      )}
      {editable && others.length > 0 && (
        <Group gap="xs" align="flex-end">
          <Select
            flex={1}
            label={t('Connect to')}
            data={[...new Set(others)]}
            value={target}
            onChange={setTarget}
            searchable
          />
          <Button variant="default" disabled={!target} onClick={add}>
            {t('Connect')}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
