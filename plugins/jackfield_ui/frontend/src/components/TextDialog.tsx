import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { t } from '../language/messages';
import { Modal } from './Modal';
import { explained } from './notify';

export interface TextQuestion {
  title: string;
  label: string;
  description?: string;
  initial?: string;
  maxLength?: number;
  /** Whether nothing may be sent. */
  optional?: boolean;
  /** The verb: 'Rename'. */
  action: string;
  /** What is done with the text; what it throws stands below the field. */
  run: (text: string) => Promise<unknown>;
}

/** Asks for one text. Mounted while it is open. */
export function TextDialog({ question, onClose }: { question: TextQuestion; onClose: () => void }) {
  const { title, label, description, initial = '', maxLength = 255, optional = false, action, run } = question;
  const [text, setText] = useState(initial);
  const send = useMutation({ mutationFn: () => run(text.trim()), onSuccess: onClose });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send.mutate();
  };
  return (
    <Modal opened onClose={onClose} title={title}>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label={label}
            description={description}
            maxLength={maxLength}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            error={send.error && explained(send.error)}
            data-autofocus
          />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              {t('Cancel')}
            </Button>
            <Button type="submit" loading={send.isPending} disabled={!optional && !text.trim()}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
