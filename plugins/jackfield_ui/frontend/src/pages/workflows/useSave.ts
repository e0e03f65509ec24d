import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useBlocker } from 'react-router';
import { ApiError } from '../../api/errors';
import { confirm } from '../../components/confirm';
import { notifyError } from '../../components/notify';
import { useEditor, useStore } from './model/store';
import { createWorkflow, readWorkflow, type Saved, workflowKey, writeWorkflow } from './queries';

export interface Save {
  /** True when the document is saved now. */
  save: () => Promise<boolean>;
  saving: boolean;
  dirty: boolean;
  /** What is saved is newer than what this page began with. */
  conflict: Saved | undefined;
  /** Keep one's own document, take the saved one, or save one's own as another workflow; undefined: decide later. */
  resolve: (choice: 'mine' | 'theirs' | 'copy' | undefined) => Promise<void>;
}

/** Saves on top of the version that was read, and keeps people from losing what is not saved. */
export function useSave(): Save {
  const store = useStore();
  const client = useQueryClient();
  const [saving, setSaving] = useState(false);
  const [conflict, setConflict] = useState<Saved>();
  // `dirty` compares documents: once for each change.
  const history = useEditor((state) => state.history);
  const saved = useEditor((state) => state.saved);
  const dirty = history.present !== saved && store.dirty;

  useGuard(dirty);

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
        setConflict(await readWorkflow(id));
      } else {
        notifyError(error, 'The workflow is not saved');
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
        const { name } = await createWorkflow({ ...store.doc, name: `${store.doc.name} (mine)` });
        store.replace(theirs);
        notifySaved(name);
      } catch (error) {
        notifyError(error);
      }
    }
  };

  return {
    save: async () => (store.dirty ? write(store.get().version) : true),
    saving,
    dirty,
    conflict,
    resolve,
  };
}

function notifySaved(name: string): void {
  void import('../../components/notify').then(({ notifyDone }) => notifyDone(`Your changes are in “${name}”.`));
}

/** Asks before unsaved changes are left behind. */
function useGuard(dirty: boolean): void {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => dirty && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    if (blocker.state !== 'blocked') return;
    void confirm({
      title: 'Leave without saving?',
      body: 'Your changes to this workflow are lost.',
      action: 'Leave',
    }).then((leave) => (leave ? blocker.proceed() : blocker.reset()));
  }, [blocker]);
  useEffect(() => {
    if (!dirty) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [dirty]);
}
