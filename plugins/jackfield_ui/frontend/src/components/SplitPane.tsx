import { type KeyboardEvent, type PointerEvent, type ReactNode, useId, useRef, useState } from 'react';
import { t } from '../language/messages';
import classes from './SplitPane.module.css';

const STEP = 2;

/** Two panes with a bar between them that the mouse and the arrow keys move. The place is kept under `name`. */
export function SplitPane({
  name,
  direction = 'row',
  initial = 50,
  min = 15,
  label = t('Resize'),
  children: [first, second],
}: {
  name: string;
  /** `row`: side by side; `column`: one above the other. */
  direction?: 'row' | 'column';
  /** Per cent of the first pane. */
  initial?: number;
  min?: number;
  label?: string;
  children: [ReactNode, ReactNode];
}) {
  const key = `jackfield.split.${name}`;
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const [share, setShare] = useState(() => clamp(Number(localStorage.getItem(key)) || initial, min));
  const row = direction === 'row';

  const put = (next: number) => {
    const kept = clamp(next, min);
    setShare(kept);
    localStorage.setItem(key, String(Math.round(kept)));
  };
  const drag = (event: PointerEvent<HTMLDivElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const bounds = box.current?.getBoundingClientRect();
    if (!bounds) return;
    const part = row ? (event.clientX - bounds.left) / bounds.width : (event.clientY - bounds.top) / bounds.height;
    put(part * 100);
  };
  const press = (event: KeyboardEvent) => {
    const [less, more] = row ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown'];
    if (event.key === less) put(share - STEP);
    else if (event.key === more) put(share + STEP);
    else if (event.key === 'Home') put(min);
    else if (event.key === 'End') put(100 - min);
    else return;
    event.preventDefault();
  };

  return (
    <div ref={box} className={classes.box} data-direction={direction}>
      <div className={classes.pane} id={id} style={{ flexBasis: `${share}%` }}>
        {first}
      </div>
      <div
        className={classes.bar}
        role="separator"
        tabIndex={0}
        aria-label={label}
        aria-controls={id}
        aria-orientation={row ? 'vertical' : 'horizontal'}
        aria-valuenow={Math.round(share)}
        aria-valuemin={min}
        aria-valuemax={100 - min}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
        onKeyDown={press}
      />
      <div className={classes.pane} style={{ flexBasis: `${100 - share}%` }}>
        {second}
      </div>
    </div>
  );
}

function clamp(share: number, min: number): number {
  return Math.min(100 - min, Math.max(min, share));
}
