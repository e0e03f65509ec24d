import {
  BaseEdge,
  EdgeLabelRenderer,
  type EdgeProps,
  getBezierPath,
  getSmoothStepPath,
  type Position,
} from '@xyflow/react';
import { memo, useState } from 'react';
import { IconPlus, IconTrash } from '../../../icons/drawn';
import { t } from '../../../language/messages';
import { MARK_WORDS, type Mark } from '../model/marks';
import { useActions } from './actions';
import classes from './canvas.module.css';
import type { FlowEdge } from './flow';
import marks from './mark.module.css';
import { MARK_ICONS } from './NodeMark';

interface Ends {
  sourceX: number;
  sourceY: number;
  targetX: number;
  targetY: number;
  sourcePosition: Position;
  targetPosition: Position;
}

/** How far below both ends a wire goes that leads back along one line. */
const AROUND = 130;
const ONE_LINE = 120;

/** A wire that leads back goes around; the others are curves. */
function pathOf(ends: Ends, main: boolean): [string, number, number] {
  const back = main && ends.targetX < ends.sourceX - 16;
  const [path, x, y] = back
    ? getSmoothStepPath({ ...ends, borderRadius: 16, offset: 40, ...belowBoth(ends) })
    : getBezierPath({ ...ends, curvature: 0.35 });
  return [path, x, y];
}

function belowBoth({ sourceY, targetY }: Ends): { centerY?: number } {
  return Math.abs(sourceY - targetY) < ONE_LINE ? { centerY: Math.max(sourceY, targetY) + AROUND } : {};
}

export const WireEdge = memo(function WireEdge(props: EdgeProps<FlowEdge>) {
  const { id, data, selected } = props;
  const { sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition } = props;
  const { editable, cut, insert } = useActions();
  const [near, setNear] = useState(false);
  const main = data?.wire.type === 'main';
  const [path, x, y] = pathOf({ sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition }, main);
  const items = data?.items;
  const mark = data?.mark;
  const tools = editable && !mark && (near || selected);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the wire has the focus and its keys; this only shows its tools
    <g onMouseEnter={() => setNear(true)} onMouseLeave={() => setNear(false)}>
      <BaseEdge
        id={id}
        path={path}
        interactionWidth={20}
        className={`${classes.wire} ${mark ? marks.wire : ''}`}
        style={{ strokeDasharray: mark ? DASHES[mark] : main ? undefined : '6 5' }}
        data-mark={mark}
        data-state={data?.state}
        data-selected={selected || undefined}
      />
      {(items || tools || mark) && (
        <EdgeLabelRenderer>
          {/* biome-ignore lint/a11y/noStaticElementInteractions: it only shows the wire's tools, which are buttons */}
          <div
            className={`${classes.wireLabel} nodrag nopan`}
            style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
            onMouseEnter={() => setNear(true)}
            onMouseLeave={() => setNear(false)}
          >
            {mark && <WireMark mark={mark} />}
            {items ? (
              <span className={classes.items}>{t('{items, plural, one {# item} other {# items}}', { items })}</span>
            ) : null}
            {tools && (
              <span className={classes.wireTools}>
                {main && (
                  <button type="button" aria-label={t('Add a node on this wire')} onClick={() => insert(id)}>
                    <IconPlus size={13} aria-hidden="true" />
                  </button>
                )}
                <button type="button" aria-label={t('Delete this wire')} onClick={() => cut(id)}>
                  <IconTrash size={13} aria-hidden="true" />
                </button>
              </span>
            )}
          </div>
        </EdgeLabelRenderer>
      )}
    </g>
  );
});

/** Lines tell marks apart where colours do not. */
const DASHES: Readonly<Record<Mark, string>> = { added: '2 4', changed: '12 3', removed: '8 8' };

function WireMark({ mark }: { mark: Mark }) {
  const Sign = MARK_ICONS[mark];
  return (
    <span className={marks.wireMark} data-mark={mark}>
      <Sign size={11} stroke={3} aria-hidden="true" /> {MARK_WORDS[mark]}
    </span>
  );
}
