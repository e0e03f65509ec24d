import { useState } from 'react';
import { drafted } from './drafting';

export interface Drafted<Stored, Draft> {
  draft: Draft;
  setDraft: (draft: Draft) => void;
  /** Differs from what it began with. */
  dirty: boolean;
  /** What is stored has been changed by somebody else since, while there are changes here. */
  outdated: boolean;
  /** Begin anew with what was saved. */
  take: (saved: Stored) => void;
  /** Begin anew with what is stored. */
  reload: () => void;
  /** Go on with the draft: saving it replaces what is stored now. */
  keep: () => void;
}

/**
 * A form's copy of something stored. As long as nothing was changed in it, it follows what is stored.
 * textOf tells two drafts apart.
 */
export function useDraft<Stored, Draft>(
  stored: Stored,
  draftOf: (stored: Stored) => Draft,
  textOf: (draft: Draft) => string,
): Drafted<Stored, Draft> {
  const [base, setBase] = useState(stored);
  const [draft, setDraft] = useState(() => draftOf(stored));
  const state = drafted(textOf(draft), textOf(draftOf(base)), textOf(draftOf(stored)));
  const take = (from: Stored) => {
    setBase(from);
    setDraft(draftOf(from));
  };
  const reload = () => take(stored);
  if (state === 'follow') reload();
  return {
    draft,
    setDraft,
    dirty: state === 'dirty' || state === 'outdated',
    outdated: state === 'outdated',
    take,
    reload,
    keep: () => setBase(stored),
  };
}
