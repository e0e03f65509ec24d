import { Button, Group, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { t } from '../../language/messages';
import { type BulkReport, eachOf } from '../eachOf';
import { Modal } from '../Modal';
import { NotDone } from '../NotDone';
import { notifyDone } from '../notify';
import type { Kind } from './queries';
import { manyOf } from './words';

export interface Thing {
  id: string;
  name: string;
}

/** What the dialogs are about. */
export interface Placed {
  kind: Kind;
  things: readonly Thing[];
  /** The address of a thing. */
  to: (id: string) => string;
  /** Called with the ids of those that it failed with, before the report is shown. */
  onDone?: ((failed: string[]) => void) | undefined;
  onClose: () => void;
}

/** What is done to all of the things, one by one. Those with which it fails are listed with the reason. */
export function PlacingDialog({
  kind,
  things,
  title,
  action,
  done,
  notDone,
  ready,
  run,
  to,
  onDone,
  onClose,
  children,
}: Placed & {
  title: string;
  /** The button's verb. */
  action: string;
  /** Of '3 workflows': that this was done with them, as a sentence. */
  done: (things: string) => string;
  /** That it was not, as a title. */
  notDone: (things: string) => string;
  ready: boolean;
  run: (id: string) => Promise<unknown>;
  children: ReactNode;
}) {
  const client = useQueryClient();
  const [report, setReport] = useState<BulkReport<string>>();
  const { mutate, isPending } = useMutation({
    mutationFn: () =>
      eachOf(
        things.map(({ id }) => id),
        run,
      ),
    onSuccess: (found) => {
      void client.invalidateQueries();
      onDone?.(found.failed.map(({ key }) => key));
      if (found.failed.length) {
        setReport(found);
        return;
      }
      notifyDone(done(manyOf(kind, found.done)));
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  if (report) {
    return (
      <NotDone
        title={notDone(manyOf(kind, report.failed.length))}
        done={report.done ? done(manyOf(kind, report.done)) : t('None of them.')}
        failed={report.failed.map(({ key, reason }) => ({
          key,
          reason,
          name: things.find(({ id }) => id === key)?.name ?? key,
          to: to(key),
        }))}
        onClose={onClose}
      />
    );
  }
  return (
    <Modal opened onClose={onClose} title={title}>
      <form onSubmit={submit}>
        <Stack>
          {children}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              {t('Cancel')}
            </Button>
            <Button type="submit" loading={isPending} disabled={!ready}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** '“Orders”', or '3 workflows'. */
export function named(kind: Kind, things: readonly Thing[]): string {
  const [first] = things;
  return things.length === 1 && first ? `“${first.name}”` : manyOf(kind, things.length);
}
