import { useEffect, useEffectEvent } from 'react';
import { notifyDone } from '../../../components/notify';
import { t } from '../../../language/messages';
import { copied, parsed, pasted } from '../model/clipboard';
import { removeNodes } from '../model/document';
import { useStore } from '../model/store';
import type { Place } from './edits';

/** Copy, cut and paste on the canvas; fields and an open panel keep their own. */
export function useClipboard(editable: boolean, where: () => Place): void {
  const store = useStore();
  const onCopy = useEffectEvent((event: ClipboardEvent) => {
    const { selection } = store.get();
    if (elsewhere(event) || selection.size === 0 || String(getSelection() ?? '')) return;
    event.preventDefault();
    event.clipboardData?.setData('text/plain', copied(store.doc, selection));
    if (event.type === 'cut' && editable) {
      store.commit((doc) => removeNodes(doc, selection));
      store.select([]);
    }
  });
  const onPaste = useEffectEvent((event: ClipboardEvent) => {
    if (!editable || elsewhere(event)) return;
    const fragment = parsed(event.clipboardData?.getData('text/plain') ?? '');
    if (!fragment) return;
    event.preventDefault();
    const { doc, names } = pasted(store.doc, fragment, where());
    store.commit(() => doc);
    store.select(names);
    notifyDone(t('{names, plural, one {Pasted 1 node.} other {Pasted # nodes.}}', { names: names.length }));
  });
  useEffect(() => {
    const copy = (event: ClipboardEvent) => onCopy(event);
    const paste = (event: ClipboardEvent) => onPaste(event);
    document.addEventListener('copy', copy);
    document.addEventListener('cut', copy);
    document.addEventListener('paste', paste);
    return () => {
      document.removeEventListener('copy', copy);
      document.removeEventListener('cut', copy);
      document.removeEventListener('paste', paste);
    };
  }, []);
}

function elsewhere(event: ClipboardEvent): boolean {
  const target = event.target instanceof Element ? event.target : null;
  return Boolean(
    target?.closest('input, textarea, [contenteditable="true"], [role="dialog"]') ||
      document.querySelector('[role="dialog"]'),
  );
}
