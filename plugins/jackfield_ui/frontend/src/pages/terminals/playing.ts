import { type Cast, type CastEvent, sizeOf, upTo } from './cast';
import type { Screen } from './screen';

export interface Playing {
  /** Seconds of the recording. */
  time: number;
  running: boolean;
}

const KEYFRAME = 1024 * 1024;
/** The terminal works off so much before the clock goes on: a flood is played as fast as it can be drawn. */
const PENDING = 512 * 1024;

/** Plays a recording into a terminal: time goes on by the browser's frames. */
export class Player {
  private state: Playing = { time: 0, running: false };
  private readonly listeners = new Set<() => void>();
  private speed = 1;
  /** How many events are in the terminal. */
  private at = 0;
  private pending = 0;
  private sinceFrame = 0;
  /** States of the terminal to begin at, in place of the very beginning. */
  private frames: { at: number; text: string; cols: number; rows: number }[] = [];
  private last = 0;
  private request = 0;

  constructor(
    private readonly screen: Screen,
    private cast: Cast,
    private readonly resized: () => void,
  ) {
    this.seek(0);
  }

  readonly now = (): Playing => this.state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly play = (): void => {
    if (this.state.running) return;
    if (this.state.time >= this.cast.length) this.seek(0);
    this.last = performance.now();
    this.set({ running: true });
    this.request = requestAnimationFrame(this.tick);
  };

  readonly pause = (): void => {
    cancelAnimationFrame(this.request);
    this.set({ running: false });
  };

  faster(speed: number): void {
    this.speed = speed;
  }

  /** The same events at other times; the place stays. */
  retime(cast: Cast): void {
    const time = this.at > 0 ? (cast.events[this.at - 1]?.time ?? 0) : 0;
    this.cast = cast;
    this.set({ time });
  }

  seek(time: number): void {
    const wanted = Math.min(this.cast.length, Math.max(0, time));
    const target = upTo(this.cast.events, wanted);
    const start = this.frames.findLast(({ at }) => at <= target);
    if (target < this.at || this.at === 0 || (start && start.at > this.at)) this.begin(start);
    this.write(this.cast.events.slice(this.at, target));
    this.at = target;
    this.last = performance.now();
    this.set({ time: wanted });
  }

  dispose(): void {
    cancelAnimationFrame(this.request);
    this.listeners.clear();
  }

  private readonly tick = (now: number): void => {
    if (this.pending < PENDING) {
      const time = Math.min(this.cast.length, this.state.time + (Math.max(0, now - this.last) / 1_000) * this.speed);
      const target = upTo(this.cast.events, time);
      this.write(this.cast.events.slice(this.at, target));
      this.at = Math.max(this.at, target);
      this.set({ time, running: time < this.cast.length });
    }
    this.last = now;
    if (this.state.running) this.request = requestAnimationFrame(this.tick);
  };

  private begin(frame = { at: 0, text: '', cols: this.cast.cols, rows: this.cast.rows }): void {
    const { terminal } = this.screen;
    terminal.write(`\x1bc`, () => this.fit(frame));
    terminal.write(frame.text);
    this.at = frame.at;
    this.sinceFrame = 0;
  }

  private write(events: readonly CastEvent[]): void {
    const { terminal } = this.screen;
    let text = '';
    const flush = () => {
      if (!text) return;
      const { length } = text;
      this.pending += length;
      this.sinceFrame += length;
      terminal.write(text, () => {
        this.pending -= length;
      });
      text = '';
    };
    events.forEach((event, index) => {
      if (event.kind === 'o') text += event.text;
      const size = event.kind === 'r' ? sizeOf(event.text) : undefined;
      if (size) {
        flush();
        terminal.write('', () => this.fit(size));
      }
      if (this.sinceFrame + text.length >= KEYFRAME) {
        flush();
        this.sinceFrame = 0;
        this.keep(this.at + index + 1);
      }
    });
    flush();
  }

  private keep(at: number): void {
    const { terminal, serialize } = this.screen;
    if (this.frames.some((frame) => frame.at >= at)) return;
    terminal.write('', () => {
      if (this.frames.some((frame) => frame.at >= at)) return;
      this.frames.push({
        at,
        text: serialize.serialize({ scrollback: 1_000 }),
        cols: terminal.cols,
        rows: terminal.rows,
      });
    });
  }

  private fit(size: { cols: number; rows: number }): void {
    this.screen.resize(size);
    this.resized();
  }

  private set(change: Partial<Playing>): void {
    this.state = { ...this.state, ...change };
    for (const listener of [...this.listeners]) listener();
  }
}
