import { useStore, ViewportPortal } from '@xyflow/react';
import { type RefObject, useEffect, useMemo } from 'react';
import { type Doc, positionOf } from '../model/document';
import classes from './canvas.module.css';
import { FAR } from './look';

/** Steps of a zoom in which names change their size: within a step nothing is drawn again. */
const STEP = 1.25;
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

/** The next step below. */
function stepped(zoom: number): number {
  return STEP ** Math.floor(Math.log(zoom) / Math.log(STEP));
}

/** Tells the styles from how far away the canvas is seen: names grow, so that they can be read. */
export function Distance({ canvas }: { canvas: RefObject<HTMLElement | null> }) {
  const zoom = useStore(({ transform: [, , now] }) => (now < FAR ? stepped(now) : 1));
  useEffect(() => {
    canvas.current?.toggleAttribute('data-far', zoom < 1);
    canvas.current?.style.setProperty('--zoom', String(zoom));
  }, [canvas, zoom]);
  return null;
}
