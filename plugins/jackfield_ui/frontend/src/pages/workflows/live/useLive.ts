import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api } from '../../../api/client';
import { useEvents } from '../../../api/useEvents';
import { notifyError } from '../../../components/notify';
import { t } from '../../../language/messages';
import { type Execution, type Part, readExecution, startWorkflow, useLastExecution } from '../queries';
import { advanced, kept, NOTHING, type Progress, progressOf } from './progress';

/** Whose data a run to a node has: the last run's where nothing has changed since, or none. */
export type DataOf = 'last' | 'fresh';

export interface Live {
  /** What is drawn on the canvas. */
  progress: Progress;
  /** The execution that is watched, or was last. */
  id: string | undefined;
  status: string | undefined;
  /** Data of the last execution that was read. */
  execution: Execution | undefined;
  /** The execution whose data a run to a node may take; undefined: there is none that is over. */
  reusable: string | undefined;
  /** A test call is waited for. */
  listening: boolean;
  run: (part?: Part) => Promise<void>;
  cancel: () => void;
  listen: (on: boolean) => void;
  /** The call that was waited for has its answer: its events come within seconds, as from another daemon, or never. */
  settle: () => void;
  clear: () => void;
  /** Shows an execution of this workflow that has ended. Throws `ApiError`, and `Error` for another workflow's. */
  show: (id: string) => Promise<Execution>;
  /** What a node gave stays with it under its new name. */
  renamed: (from: string, to: string) => void;
}

const OPEN = new Set(['queued', 'running']);
const ENDED = new Set(['success', 'failed', 'cancelled']);
const READ_AGAIN_AFTER = 150;
const READ_AT_MOST = 20;
const SETTLE_AFTER = 5_000;

interface Watched {
  id: string;
  progress: Progress;
  status: string;
}

/** The run that the editor watches: started here, or the test call that it waits for. */
export function useLive(workflowId: string): Live {
  const client = useQueryClient();
  const last = useLastExecution(workflowId);
  const [watched, setWatched] = useState<Watched>();
  const [read, setRead] = useState<Execution>();
  const [listening, setListening] = useState(false);
  /** The event of our own run may be here before the answer with its id. */
  const expecting = useRef(false);
  const current = useRef<string>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const settling = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      clearTimeout(settling.current);
    },
    [],
  );

  const listen = (on: boolean) => {
    clearTimeout(settling.current);
    setListening(on);
  };

  const follow = (id: string) => {
    if (current.current === id) return;
    current.current = id;
    setWatched({ id, progress: NOTHING, status: 'running' });
  };

  const readWhole = async (id: string, tries = 0): Promise<void> => {
    if (current.current !== id) return;
    try {
      const execution = await readExecution(id);
      if (current.current !== id) return;
      if (OPEN.has(execution.status) && tries < READ_AT_MOST) {
        timer.current = setTimeout(() => void readWhole(id, tries + 1), READ_AGAIN_AFTER);
        return;
      }
      setRead(execution);
      setWatched((before) => ({
        id,
        progress: kept(before?.progress ?? NOTHING, progressOf(execution)),
        status: execution.status,
      }));
      void client.invalidateQueries({ queryKey: ['executions'] });
    } catch (error) {
      notifyError(error, t('The run could not be read'));
    }
  };

  useEvents(
    'workflows',
    ({ type, data }) => {
      if (data.workflowId !== workflowId || typeof data.id !== 'string') return;
      const ours = (expecting.current && data.mode === 'manual') || (listening && data.mode === 'test');
      if (type === 'execution.started' && ours) {
        expecting.current = false;
        listen(false);
        follow(data.id);
      }
      if (data.id !== current.current) return;
      if (type === 'execution.nodes') {
        setWatched((before) =>
          before && before.id === data.id && OPEN.has(before.status)
            ? { ...before, progress: advanced(before.progress, data) }
            : before,
        );
      } else if (type === 'execution.waiting') {
        setWatched((before) => before && { ...before, status: 'waiting' });
      } else if (type === 'execution.finished') {
        void readWhole(data.id);
      }
    },
    () => current.current && void readWhole(current.current),
  );

  const run = async (part?: Part) => {
    if (expecting.current) return;
    expecting.current = true;
    listen(false);
    try {
      const { executionId } = await startWorkflow(workflowId, part);
      follow(executionId);
      // It may be over already, and its events from before the page listened.
      timer.current = setTimeout(() => void readWhole(executionId, READ_AT_MOST - 1), 2_000);
    } finally {
      expecting.current = false;
    }
  };

  const known = read ?? last.data ?? undefined;
  return {
    progress: watched?.progress ?? NOTHING,
    id: watched?.id,
    status: watched?.status,
    execution: known,
    reusable: known && ENDED.has(known.status) ? known.id : undefined,
    listening,
    run,
    cancel: () => {
      if (!watched) return;
      api
        .POST('/api/v1/executions/{execution_id}/cancel', { params: { path: { execution_id: watched.id } } })
        .catch((error: unknown) => notifyError(error));
    },
    listen,
    settle: () => {
      clearTimeout(settling.current);
      settling.current = setTimeout(() => setListening(false), SETTLE_AFTER);
    },
    clear: () => {
      current.current = undefined;
      setWatched(undefined);
    },
    show: async (id) => {
      const execution = await readExecution(id);
      if (execution.workflowId !== workflowId) throw new Error(t('It belongs to another workflow.'));
      current.current = id;
      setRead(execution);
      setWatched({ id, progress: progressOf(execution), status: execution.status });
      return execution;
    },
    renamed: (from, to) => {
      const present = read ?? last.data;
      if (present && Object.hasOwn(present.nodes, from))
        setRead({ ...present, nodes: renamedKey(present.nodes, from, to) });
      setWatched((before) =>
        before ? { ...before, progress: new Map(renamedEntries([...before.progress], from, to)) } : before,
      );
    },
  };
}

function renamedEntries<Value>(entries: readonly [string, Value][], from: string, to: string): [string, Value][] {
  return entries.map(([name, value]) => [name === from ? to : name, value]);
}

function renamedKey<Value>(given: Record<string, Value>, from: string, to: string): Record<string, Value> {
  return Object.fromEntries(renamedEntries(Object.entries(given), from, to));
}
