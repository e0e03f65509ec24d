import { Button, Group, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Modal } from '../../../components/Modal';
import { t } from '../../../language/messages';

/** Asks for another name of a node. */
export function Rename({
  name,
  onRename,
  onClose,
}: {
  name: string;
  onRename: (to: string) => void;
  onClose: () => void;
}) {
  const [text, setText] = useState(name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onRename(text);
    onClose();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('Rename the node')}
      size="sm"
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label={t('Name')}
            description={t('Wires and expressions that name it follow.')}
            maxLength={255}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            onFocus={(event) => event.currentTarget.select()}
            data-autofocus
          />
          <Group justify="flex-end">
            <Button type="submit" disabled={!text.trim()}>
              {t('Rename')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
