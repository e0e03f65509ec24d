import { useReactFlow } from '@xyflow/react';
import { useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import { notifyError } from '../../components/notify';
import { t } from '../../language/messages';
import type { Asked } from './copilot/Changes';
import type { Live } from './live/useLive';
import type { Overlay } from './model/marks';

export interface Copilot {
  isOpen: boolean;
  setOpen: (isOpen: boolean) => void;
  draft: string | undefined;
  setDraft: (id: string | undefined) => void;
  /** The draft upon the canvas, while the panel is open. */
  overlay: Overlay | undefined;
  setOverlay: (overlay: Overlay | undefined) => void;
  asked: Asked | undefined;
  /** What does the draft do with this node? */
  ask: (name: string) => void;
}

/** `?copilot` opens the panel, `?draft=ID` with a draft, `?mend=ID` with an execution that has failed on the canvas. */
export function useCopilot({ show }: Live, editable: boolean): Copilot {
  const [params, setParams] = useSearchParams();
  const [isOpen, setOpen] = useState(false);
  const [draft, setDraft] = useState<string>();
  const [overlay, setOverlay] = useState<Overlay>();
  const [asked, setAsked] = useState<Asked>();
  const [ask] = useState(() => (name: string) => setAsked((last) => ({ name, at: (last?.at ?? 0) + 1 })));
  const begun = useRef<string>(undefined);
  const wanted = ['copilot', 'draft', 'mend'].some((name) => params.has(name)) ? params.toString() : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each address
  useEffect(() => {
    if (wanted === undefined || begun.current === wanted) return;
    begun.current = wanted;
    const failed = params.get('mend');
    setParams({}, { replace: true });
    if (!editable) return;
    setDraft(params.get('draft') ?? undefined);
    setOpen(true);
    if (failed) show(failed).catch((error: unknown) => notifyError(error, t('The execution cannot be opened')));
  }, [wanted]);
  return { isOpen, setOpen, draft, setDraft, overlay: isOpen ? overlay : undefined, setOverlay, asked, ask };
}

/** Milliseconds in which the canvas has its new size. */
const RESIZED = 50;

/** Once a draft is upon the canvas, all of it is in sight; later the canvas stays where it is. */
export function useDraftInSight({ draft, overlay }: Copilot): void {
  const { fitView } = useReactFlow();
  const seen = useRef<string>(undefined);
  const shown = overlay ? draft : undefined;
  useEffect(() => {
    if (shown === undefined || seen.current === shown) return;
    seen.current = shown;
    const timer = setTimeout(() => void fitView({ maxZoom: 1, padding: 0.15 }), RESIZED);
    return () => clearTimeout(timer);
  }, [shown, fitView]);
}
