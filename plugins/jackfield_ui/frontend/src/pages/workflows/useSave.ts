import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useBlocker } from 'react-router';
import { ApiError } from '../../api/errors';
import { confirm } from '../../components/confirm';
import { notifyError } from '../../components/notify';
import { t } from '../../language/messages';
import { presentDoc, useEditor, useStore } from './model/store';
import { createWorkflow, readWorkflow, type Saved, workflowKey, writeWorkflow } from './queries';
import { useElsewhere } from './useElsewhere';

export interface Save {
  /** True when the document is saved now. */
  save: () => Promise<boolean>;
  saving: boolean;
  dirty: boolean;
  /** What is saved is newer than what this page began with. */
  conflict: Saved | undefined;
  /** What is saved was deleted. */
  gone: boolean;
  /** Keep one's own document, take the saved one, or save one's own as another workflow; undefined: decide later. */
  resolve: (choice: 'mine' | 'theirs' | 'copy' | undefined) => Promise<void>;
}

/** Saves on top of the version that was read, and keeps people from losing what is not saved. */
export function useSave(newest: Saved): Save {
  const store = useStore();
  const client = useQueryClient();
  const [saving, setSaving] = useState(false);
  const [conflict, setConflict] = useState<Saved>();
  const [missing, setMissing] = useState(false);
  const gone = useElsewhere(newest) || missing;
  /** Two writes at once would be a conflict of one person with oneself. */
  const pending = useRef<Promise<boolean>>(undefined);
  // `dirty` compares documents: once for each change.
  const doc = useEditor(presentDoc);
  const saved = useEditor((state) => state.saved);
  const dirty = doc !== saved && store.dirty;

  useGuard(dirty, () => store.dirty);

  const write = async (version: number | undefined): Promise<boolean> => {
    const sent = store.doc;
    const { id } = store.get();
    setSaving(true);
    try {
      const stored = await writeWorkflow(id, sent, version);
      store.stored(sent, stored);
      client.setQueryData(workflowKey(id), { ...stored, doc: sent });
      void client.invalidateQueries({ queryKey: ['workflows', 'list'] });
      void client.invalidateQueries({ queryKey: [...workflowKey(id), 'versions'] });
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.code === 'CONFLICT' && 'version' in error.fields) {
        await readWorkflow(id).then(setConflict, (reason: unknown) =>
          notifyError(reason, t('The workflow is not saved')),
        );
      } else if (error instanceof ApiError && error.status === 404) {
        setMissing(true);
        notifyError(new Error(t('It was deleted. Save it as a new workflow.')), t('The workflow is not saved'));
      } else {
        notifyError(error, t('The workflow is not saved'));
      }
      return false;
    } finally {
      setSaving(false);
    }
  };

  const resolve: Save['resolve'] = async (choice) => {
    const theirs = conflict;
    setConflict(undefined);
    if (!theirs || !choice) return;
    if (choice === 'mine') await write(theirs.version);
    if (choice === 'theirs') store.replace(theirs);
    if (choice === 'copy') {
      try {
        const { name } = await createWorkflow({ ...store.doc, name: t('{name} (mine)', { name: store.doc.name }) });
        store.replace(theirs);
        notifySaved(name);
      } catch (error) {
        notifyError(error);
      }
    }
  };

  const save = async (): Promise<boolean> => {
    if (pending.current) await pending.current;
    if (!store.dirty) return true;
    pending.current ??= write(store.get().version).finally(() => {
      pending.current = undefined;
    });
    return pending.current;
  };

  return {
    save,
    gone,
    saving,
    dirty,
    conflict,
    resolve,
  };
}

function notifySaved(name: string): void {
  void import('../../components/notify').then(({ notifyDone }) =>
    notifyDone(t('Your changes are in “{name}”.', { name })),
  );
}

/** Asks before unsaved changes are left behind. */
function useGuard(dirty: boolean, isDirty: () => boolean): void {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => currentLocation.pathname !== nextLocation.pathname && isDirty(),
  );
  useEffect(() => {
    if (blocker.state !== 'blocked') return;
    void confirm({
      title: t('Leave without saving?'),
      body: t('Your changes to this workflow are lost.'),
      action: t('Leave'),
    }).then((leave) => (leave ? blocker.proceed() : blocker.reset()));
  }, [blocker]);
  useEffect(() => {
    if (!dirty) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [dirty]);
}
