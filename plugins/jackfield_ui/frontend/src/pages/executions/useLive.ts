import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useEvents } from '../../api/useEvents';
import { liveRun, type Run } from './model';

const READ_EVERY = 1_500;

interface Live {
  runs: Run[];
  running: string | undefined;
}

const NOTHING: Live = { runs: [], running: undefined };

/** What happens to an open execution; its items are read again now and then, and at its end. */
export function useLive(id: string): Live {
  const client = useQueryClient();
  const [live, setLive] = useState({ id, ...NOTHING });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const read = () => {
    clearTimeout(timer.current);
    timer.current = undefined;
    void client.invalidateQueries({ queryKey: ['executions', id] });
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  useEvents(
    'workflows',
    ({ type, data }) => {
      if (data.id !== id || !type.startsWith('execution.')) return;
      if (type !== 'execution.nodes') {
        setLive((now) => ({ id, runs: now.id === id ? now.runs : [], running: undefined }));
        read();
        return;
      }
      const told = (Array.isArray(data.nodes) ? data.nodes : []).map(liveRun).filter((run) => run !== undefined);
      const running = typeof data.running === 'string' ? data.running : undefined;
      setLive((now) => ({ id, runs: [...(now.id === id ? now.runs : []), ...told], running }));
      timer.current ??= setTimeout(read, READ_EVERY);
    },
    read,
  );
  return live.id === id ? live : NOTHING;
}
