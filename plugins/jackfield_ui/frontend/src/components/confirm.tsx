import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState, useSyncExternalStore } from 'react';
import { t } from '../language/messages';
import { Modal } from './Modal';

export interface Question {
  /** What will happen, with the thing's name: 'Delete the workflow “Invoices”?' */
  title: string;
  /** What is lost, and what stays. */
  body?: ReactNode;
  /** The verb: 'Delete'. */
  action: string;
  /** For what cannot be undone and matters: this name has to be typed. */
  typed?: string;
  danger?: boolean;
}

interface Asked extends Question {
  answer: (yes: boolean) => void;
}

let asked: Asked | undefined;
const listeners = new Set<() => void>();

function set(next: Asked | undefined): void {
  asked = next;
  for (const listener of [...listeners]) listener();
}

/** `if (await confirm({...})) ...`; false when the user thinks better of it. */
export function confirm(question: Question): Promise<boolean> {
  asked?.answer(false);
  return new Promise((resolve) => {
    set({
      ...question,
      answer: (yes) => {
        set(undefined);
        resolve(yes);
      },
    });
  });
}

/** Mounted once, by the app. */
export function ConfirmHost() {
  const question = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => asked,
  );
  return question ? <ConfirmDialog key={question.title} {...question} /> : null;
}

function ConfirmDialog({ title, body, action, typed, danger = true, answer }: Asked) {
  const [name, setName] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    answer(true);
  };
  return (
    <Modal opened onClose={() => answer(false)} title={title} attributes={{ header: { role: 'none' } }}>
      <form onSubmit={submit}>
        <Stack>
          {typeof body === 'string' ? <Text>{body}</Text> : body}
          {typed !== undefined && (
            <TextInput
              label={t('Type “{typed}” to confirm', { typed })}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              autoComplete="off"
              data-autofocus
            />
          )}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={() => answer(false)} data-autofocus={typed === undefined || undefined}>
              {t('Cancel')}
            </Button>
            <Button type="submit" color={danger ? 'red.8' : undefined} disabled={typed !== undefined && name !== typed}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
