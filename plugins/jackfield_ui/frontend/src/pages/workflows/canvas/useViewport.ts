import { useStoreApi, type Viewport } from '@xyflow/react';
import { type RefObject, useEffect, useMemo, type WheelEvent } from 'react';

/** What a movement may be ahead of what React Flow knows: pixels, and milliseconds; in a picture that is drawn whole,
 * only milliseconds, until the overview follows. */
const AHEAD = 64;
const LATER = 80;
const WHOLE_LATER = 300;
/** A wheel that turned so many milliseconds ago still turns. */
const TURNING = 50;
/** What else asks where things are; it has to find them where they are seen. */
const ASKING = ['pointerdown', 'pointerup', 'keydown', 'contextmenu', 'paste', 'dragenter'] as const;

interface Moving {
  /** Always the same object, for `ReactFlow`. */
  viewport: Viewport;
  onViewportChange: (next: Viewport) => void;
  onMoveStart: (event: MouseEvent | TouchEvent | null) => void;
  onMoveEnd: () => void;
  onWheelCapture: (event: WheelEvent) => void;
}

/**
 * Moves a large canvas ahead of React Flow: every node and wire looks at each of its changes, which takes longer than a
 * frame has. While the user moves it, the picture follows at once, and React Flow in steps.
 *
 * @param whole all of it is drawn, also what is out of sight: however far it moves, nothing is missing.
 */
export function useViewport(canvas: RefObject<HTMLElement | null>, large: boolean, whole: boolean): Moving {
  const store = useStoreApi();
  const mover = useMemo(() => new Mover(canvas, store), [canvas, store]);
  mover.large = large;
  mover.whole = whole;
  useEffect(() => {
    for (const type of ASKING) window.addEventListener(type, mover.ask, true);
    return () => {
      for (const type of ASKING) window.removeEventListener(type, mover.ask, true);
      mover.settle();
    };
  }, [mover]);
  return mover;
}

class Mover implements Moving {
  large = false;
  whole = false;
  readonly viewport: Viewport = { x: 0, y: 0, zoom: 1 };
  private dragged = false;
  private turned = Number.NEGATIVE_INFINITY;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly canvas: RefObject<HTMLElement | null>,
    private readonly store: ReturnType<typeof useStoreApi>,
  ) {}

  readonly onViewportChange = (next: Viewport): void => {
    Object.assign(this.viewport, next);
    // Not before it moves: a click on a node begins as a movement does.
    if (this.dragged) this.canvas.current?.setAttribute('data-moving', 'dragged');
    if (!this.mayBeAhead()) {
      this.settle();
      return;
    }
    this.draw();
    this.timer ??= setTimeout(this.settle, this.whole ? WHOLE_LATER : LATER);
  };

  readonly onMoveStart = (event: MouseEvent | TouchEvent | null): void => {
    this.dragged = event?.type === 'mousedown' || event?.type === 'touchstart';
    this.canvas.current?.setAttribute('data-moving', '');
  };

  readonly onMoveEnd = (): void => {
    this.dragged = false;
    this.settle();
    this.canvas.current?.removeAttribute('data-moving');
  };

  /** With a button held something is dragged meanwhile, which has to know where it is. */
  readonly onWheelCapture = ({ buttons }: WheelEvent): void => {
    this.turned = buttons === 0 ? performance.now() : Number.NEGATIVE_INFINITY;
  };

  readonly ask = (): void => {
    this.dragged = false;
    // What is pressed next is what is seen: React Flow tells of the end a little later.
    if (this.canvas.current?.hasAttribute('data-moving')) this.canvas.current.setAttribute('data-moving', '');
    this.settle();
  };

  readonly settle = (): void => {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { x, y, zoom } = this.viewport;
    const [oldX, oldY, oldZoom] = this.store.getState().transform;
    if (oldX !== x || oldY !== y || oldZoom !== zoom) this.store.setState({ transform: [x, y, zoom] });
  };

  private mayBeAhead(): boolean {
    if (!this.large || (!this.dragged && performance.now() - this.turned > TURNING)) return false;
    const { x, y, zoom } = this.viewport;
    const [oldX, oldY, oldZoom] = this.store.getState().transform;
    return zoom === oldZoom && (this.whole || (Math.abs(x - oldX) < AHEAD && Math.abs(y - oldY) < AHEAD));
  }

  private draw(): void {
    const picture = this.canvas.current?.querySelector<HTMLElement>('.react-flow__viewport');
    const { x, y, zoom } = this.viewport;
    if (picture) picture.style.transform = `translate(${x}px,${y}px) scale(${zoom})`;
  }
}
