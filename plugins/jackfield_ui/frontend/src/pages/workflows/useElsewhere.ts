import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useEvents } from '../../api/useEvents';
import { useStore } from './model/store';
import { type Saved, workflowKey } from './queries';

/** What happens to the open workflow in another tab, by another person or program. True when it was deleted. */
export function useElsewhere(newest: Saved): boolean {
  const store = useStore();
  const client = useQueryClient();
  const [gone, setGone] = useState(false);
  const { id, active } = newest;
  const read = () => void client.invalidateQueries({ queryKey: workflowKey(id), exact: true });
  useEffect(() => store.activated(active), [store, active]);
  useEvents(
    'workflows',
    ({ type, data }) => {
      if (data.id !== id) return;
      if (type === 'workflow.deleted') setGone(true);
      if (type === 'workflow.activated') store.activated(true);
      if (type === 'workflow.deactivated') store.activated(false);
      if (type === 'workflow.saved' && Number(data.version) > store.get().version) read();
    },
    read,
  );
  return gone;
}
