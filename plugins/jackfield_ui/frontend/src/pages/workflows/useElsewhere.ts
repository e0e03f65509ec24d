import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useEvents } from '../../api/useEvents';
import { useStore } from './model/store';
import { attentionOf, type Saved, workflowKey } from './queries';

/** What happens to the open workflow in another tab, by another person or program. True when it was deleted. */
export function useElsewhere(newest: Saved): boolean {
  const store = useStore();
  const client = useQueryClient();
  const [gone, setGone] = useState(false);
  const { id, active, attention } = newest;
  const read = () => void client.invalidateQueries({ queryKey: workflowKey(id), exact: true });
  useEffect(() => store.activated(active, attention), [store, active, attention]);
  useEvents(
    'workflows',
    ({ type, data }) => {
      if (data.id !== id) return;
      if (type === 'workflow.deleted') setGone(true);
      if (type === 'workflow.activated') store.activated(true, store.get().attention);
      if (type === 'workflow.attention') store.activated(store.get().active, attentionOf(data.attention));
      if (type === 'workflow.deactivated') store.activated(false);
      if (type === 'workflow.saved' && Number(data.version) > store.get().version) read();
    },
    read,
  );
  return gone;
}
