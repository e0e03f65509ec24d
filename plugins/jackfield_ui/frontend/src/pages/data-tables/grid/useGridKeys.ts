import { type KeyboardEvent, type RefObject, useEffect, useEffectEvent } from 'react';
import { notifyError } from '../../../components/notify';
import { t } from '../../../language/messages';
import { fromTabs, toTabs } from './cells';
import { type Cells, copied, emptied, type Pasted, pasted } from './clipped';
import { boundsOf, moved, type Place, type Range } from './place';

interface Given {
  /** What has the focus while keys are meant for the cells. */
  grid: RefObject<HTMLElement | null>;
  cells: Cells;
  range: Range;
  /** Rows that are in sight. */
  page: number;
  mayWrite: boolean;
  onRange: (range: Range) => void;
  onEdit: (typed?: string) => void;
  onPasted: (pasted: Pasted) => void;
  onTick: (top: number, bottom: number) => void;
  onTickAll: () => void;
  onDelete: () => void;
  onUndo: () => void;
  onRedo: () => void;
}

/** What keys and the clipboard do where no cell is being written. */
export function useGridKeys(given: Given) {
  const { grid, cells, range, page, mayWrite, onRange, onEdit, onPasted, onTick, onTickAll, onDelete, onUndo, onRedo } =
    given;
  const attempt = (act: () => Pasted) => {
    try {
      onPasted(act());
    } catch (error) {
      notifyError(error, t('Nothing was changed'));
    }
  };
  const move = (to: Place, extend: boolean) => onRange({ from: extend ? range.from : to, to });
  const write = (event: KeyboardEvent): boolean => {
    const { key } = event;
    const control = event.ctrlKey || event.metaKey;
    if (control && key.toLowerCase() === 'z') (event.shiftKey ? onRedo : onUndo)();
    else if (control && key.toLowerCase() === 'y') onRedo();
    else if (control && key.toLowerCase() === 'a') onTickAll();
    else if (control && key === 'Delete') onDelete();
    else if (key === ' ' && event.shiftKey) {
      const { top, bottom } = boundsOf(range);
      onTick(top, bottom);
    } else if (key === 'Enter' || key === 'F2') onEdit();
    else if (key === 'Delete' || key === 'Backspace') attempt(() => emptied(cells, boundsOf(range)));
    else if (key.length === 1 && !control && !event.altKey) onEdit(key);
    else return false;
    return true;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    const to = moved(event, range.to, { rows: cells.total, columns: cells.columns.length, page });
    if (to) move(to, event.shiftKey);
    else if (event.key === 'Escape') onRange({ from: range.to, to: range.to });
    else if (!mayWrite || !write(event)) return;
    event.preventDefault();
  };
  const here = () => document.activeElement === grid.current;
  const onCopy = useEffectEvent((event: ClipboardEvent) => {
    if (!here()) return;
    event.preventDefault();
    const found = copied(cells, boundsOf(range));
    if (found) event.clipboardData?.setData('text/plain', toTabs(found));
    else
      notifyError(new Error(t('Not all of these rows are read yet. Try again in a moment.')), t('Nothing was copied'));
  });
  const onPaste = useEffectEvent((event: ClipboardEvent) => {
    if (!here() || !mayWrite) return;
    event.preventDefault();
    const text = event.clipboardData?.getData('text/plain');
    if (text) attempt(() => pasted(cells, boundsOf(range), fromTabs(text)));
  });
  // Where nothing is selected, browsers give these events to the body, whatever has the focus.
  useEffect(() => {
    const copy = (event: ClipboardEvent) => onCopy(event);
    const paste = (event: ClipboardEvent) => onPaste(event);
    document.addEventListener('copy', copy);
    document.addEventListener('paste', paste);
    return () => {
      document.removeEventListener('copy', copy);
      document.removeEventListener('paste', paste);
    };
  }, []);
  return onKeyDown;
}
