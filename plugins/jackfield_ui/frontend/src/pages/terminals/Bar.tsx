import type { KeyboardEvent, PointerEvent, RefObject } from 'react';
import { t } from '../../language/messages';
import { type Box, LEAST, type Split } from './layout';
import classes from './terminals.module.css';

const STEP = 2;

/** The line between two panes; the mouse and the arrow keys move it. */
export function Bar({
  split: { direction, share },
  box,
  area,
  onShare,
}: {
  split: Split;
  box: Box;
  area: RefObject<HTMLElement | null>;
  onShare: (share: number) => void;
}) {
  const row = direction === 'row';
  const drag = (event: PointerEvent<HTMLElement>) => {
    const whole = area.current?.getBoundingClientRect();
    if (!whole || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const place = row ? (event.clientX - whole.left) / whole.width : (event.clientY - whole.top) / whole.height;
    onShare(row ? ((place * 100 - box.left) / box.width) * 100 : ((place * 100 - box.top) / box.height) * 100);
  };
  const press = (event: KeyboardEvent) => {
    const [less, more] = row ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown'];
    if (event.key !== less && event.key !== more) return;
    event.preventDefault();
    onShare(share + (event.key === less ? -STEP : STEP));
  };
  const style = row
    ? { left: `${box.left + (box.width * share) / 100}%`, top: `${box.top}%`, height: `${box.height}%` }
    : { top: `${box.top + (box.height * share) / 100}%`, left: `${box.left}%`, width: `${box.width}%` };
  return (
    <div
      className={classes.bar}
      data-direction={direction}
      style={style}
      role="separator"
      tabIndex={0}
      aria-label={t('Resize the panes')}
      aria-orientation={row ? 'vertical' : 'horizontal'}
      aria-valuenow={Math.round(share)}
      aria-valuemin={LEAST}
      aria-valuemax={100 - LEAST}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onKeyDown={press}
    />
  );
}
