import { useStore, ViewportPortal } from '@xyflow/react';
import { type RefObject, useEffect, useMemo } from 'react';
import { type Doc, positionOf } from '../model/document';
import classes from './canvas.module.css';

/** Below this zoom a name is no longer read. */
const FAR = 0.4;
/** More than any node is large, with what is written below it. */
const AROUND = 1_024;

/** What a large canvas stands on, so that it moves as one picture. */
export function Ground({ doc }: { doc: Doc }) {
  const box = useMemo(() => {
    const places = doc.nodes.flatMap((node) => positionOf(node) ?? []);
    const left = Math.min(...places.map(({ x }) => x)) - AROUND;
    const top = Math.min(...places.map(({ y }) => y)) - AROUND;
    const width = Math.max(...places.map(({ x }) => x)) + AROUND - left;
    const height = Math.max(...places.map(({ y }) => y)) + AROUND - top;
    return Number.isFinite(width) ? { left, top, width, height } : undefined;
  }, [doc.nodes]);
  return <ViewportPortal>{box && <div className={classes.ground} style={box} />}</ViewportPortal>;
}

/** Tells the styles that the canvas is seen from far away. */
export function Distance({ canvas }: { canvas: RefObject<HTMLElement | null> }) {
  const far = useStore(({ transform }) => transform[2] < FAR);
  useEffect(() => {
    canvas.current?.toggleAttribute('data-far', far);
  }, [canvas, far]);
  return null;
}
