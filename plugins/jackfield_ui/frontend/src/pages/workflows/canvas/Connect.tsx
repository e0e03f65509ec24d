import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Modal } from '../../../components/Modal';
import { t } from '../../../language/messages';
import { connect } from '../model/document';
import { presentDoc, useEditor, useStore } from '../model/store';
import type { NodeType } from '../queries';
import { outputsOf, targetsOf } from './ends';

/** A wire without a pointer: from an output of a node to what may follow it. */
export default function Connect({
  name,
  kinds,
  onClose,
}: {
  name: string;
  kinds: ReadonlyMap<string, NodeType>;
  onClose: () => void;
}) {
  const store = useStore();
  const doc = useEditor(presentDoc);
  const outputs = outputsOf(doc, kinds, name);
  const [chosen, setChosen] = useState<string | null>();
  const from = outputs.find(({ id }) => id === chosen) ?? outputs[0];
  const targets = from ? targetsOf(doc, kinds, name, from) : [];
  const [wanted, setWanted] = useState<string | null>(null);
  const to = targets.find(({ id }) => id === wanted);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!to) return;
    store.commit((now) => connect(now, to.wire));
    onClose();
  };
  const data = (ends: readonly { id: string; label: string }[]) => ends.map(({ id, label }) => ({ value: id, label }));
  return (
    <Modal opened onClose={onClose} title={t('Connect “{name}”', { name })} size="sm">
      <form onSubmit={submit}>
        <Stack>
          {outputs.length > 1 && (
            <Select
              label={t('From')}
              data={data(outputs)}
              value={from?.id ?? null}
              onChange={setChosen}
              allowDeselect={false}
            />
          )}
          {targets.length > 0 ? (
            <Select
              label={t('To')}
              data={data(targets)}
              value={wanted}
              onChange={setWanted}
              allowDeselect={false}
              searchable
              data-autofocus
            />
          ) : (
            <Text>{outputs.length ? t('No other node can connect to it.') : t('No wire leaves this node.')}</Text>
          )}
          <Group justify="flex-end">
            <Button type="submit" disabled={!to}>
              {t('Connect')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
