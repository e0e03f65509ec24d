import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useLayoutEffect, useMemo, useRef } from 'react';
import { notifyError } from '../../../components/notify';
import { t } from '../../../language/messages';
import { documentOf } from '../model/document';
import type { Overlay } from '../model/marks';
import { presentDoc, useEditor, useStore } from '../model/store';
import { ownUnits, type Proposal, proposalOf, taken, type Unit } from './changes';
import { overlayOf } from './overlay';
import { type Draft, readDraft, rejectChanges } from './queries';

const NOT_REJECTED = t('The draft still has changes that you have rejected');

export interface Review extends Proposal {
  /** What is decided about, one by one. */
  own: readonly Unit[];
  accept: (units: readonly Unit[]) => void;
  reject: (units: readonly Unit[]) => void;
}

/** A draft beside the canvas. What is decided is a step of the editor; the daemon hears of it when the workflow is saved. */
export function useReview(draft: Draft, onOverlay: (overlay: Overlay | undefined) => void): Review {
  const store = useStore();
  const present = useEditor(presentDoc);
  const decided = useEditor((state) => state.decided);
  const document = useMemo(() => documentOf(draft.document), [draft.document]);
  const began = useMemo(() => documentOf(draft.base), [draft.base]);
  const base = decided?.draft === draft.id ? decided.base : began;
  const proposal = useMemo(() => proposalOf(base, document, present), [base, document, present]);
  useLayoutEffect(() => {
    onOverlay(proposal.units.length ? overlayOf(proposal) : undefined);
  }, [proposal, onOverlay]);
  useLayoutEffect(() => () => onOverlay(undefined), [onOverlay]);
  useSettling(draft, proposal);
  const decide = (units: readonly Unit[], isAccepted: boolean) => {
    const ids = new Set(units.map(({ id }) => id));
    const next = taken(proposalOf(base, document, base), ids, !isAccepted);
    store.decide(isAccepted ? taken(proposal, ids) : present, { draft: draft.id, base: next });
  };
  return {
    ...proposal,
    own: useMemo(() => ownUnits(proposal), [proposal]),
    accept: (units) => decide(units, true),
    reject: (units) => decide(units, false),
  };
}

/** Once the workflow is saved, what was rejected goes out of the draft: what was accepted the daemon sees by itself. */
function useSettling(draft: Draft, { units }: Proposal): void {
  const store = useStore();
  const client = useQueryClient();
  const saved = useEditor((state) => state.saved);
  const before = useRef(saved);
  const settle = useEffectEvent(async () => {
    const { doc, saved: now, decided } = store.get();
    if (doc !== now || decided?.draft !== draft.id) return;
    const open = new Set(units.map(({ id }) => id));
    const isOpen = ({ id, how }: { id: string; how: string }) => open.has(how === 'moved' ? 'places' : id);
    const newest = await readDraft(draft.id);
    // What the agent has changed meanwhile nobody has seen: these decisions wait for the next time.
    const rejected = newest.revision === draft.revision ? newest.changes.filter((change) => !isOpen(change)) : [];
    if (rejected.length) {
      const ids = rejected.map(({ id }) => id);
      await rejectChanges(draft.id, draft.revision, ids).catch((error: unknown) => notifyError(error, NOT_REJECTED));
    }
    await client.invalidateQueries({ queryKey: ['drafts'] });
  });
  useEffect(() => {
    if (before.current === saved) return;
    before.current = saved;
    void settle();
  }, [saved]);
}
