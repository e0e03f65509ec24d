import { useEffect, useState } from 'react';
import { address, api } from '../../api/client';
import { backoff, connection } from '../../api/connection';
import { oneOf } from '../../api/paging';
import { added, EMPTY, LEVEL_WORDS, type Line, type Tail } from './buffer';

export type TailState = 'starting' | 'live' | 'broken';

interface State extends Tail {
  state: TailState;
  /** Lines that the daemon could not send. */
  missed: number;
}

const START: State = { ...EMPTY, state: 'starting', missed: 0 };
/** The page is drawn anew at most so often, however fast lines come. */
const DRAW_EVERY = 200;

/** Follows the log while the page is shown; begins anew when what is looked for changes. `onLive`: it listens now. */
export function useTail(level: string, search: string, onLive: () => void): State {
  const key = `${level}\n${search}`;
  const [held, setHeld] = useState({ key, ...START });
  useEffect(() => {
    const follower = new Follower(address('/api/logs/stream', { level: oneOf(LEVEL_WORDS, level), search }), (change) =>
      setHeld((now) => ({ ...change(now.key === key ? now : START), key })),
    );
    return () => follower.stop();
  }, [key, level, search]);
  const live = held.key === key && held.state === 'live';
  useEffect(() => {
    // What was written before somebody listened has to be read.
    if (live) onLive();
  }, [live, onLive]);
  return held.key === key ? held : START;
}

type Change = (change: (now: State) => State) => void;

class Follower {
  private source: EventSource | undefined;
  private waiting: Line[] = [];
  private missed = 0;
  private drawing: ReturnType<typeof setTimeout> | undefined;
  private again: ReturnType<typeof setTimeout> | undefined;
  private tries = 0;
  private readonly forget: () => void;

  constructor(
    private readonly address: string,
    private readonly change: Change,
  ) {
    this.forget = connection.onReturn(() => this.open());
    this.open();
  }

  stop(): void {
    this.forget();
    clearTimeout(this.drawing);
    this.close();
  }

  private open(): void {
    this.close();
    const source = new EventSource(this.address);
    this.source = source;
    source.onopen = () => {
      this.tries = 0;
      this.change((now) => ({ ...now, state: 'live' }));
    };
    source.onerror = () => this.failed();
    source.addEventListener('log', (event) => this.take(() => this.waiting.push(JSON.parse(String(event.data)))));
    source.addEventListener('lagged', (event) =>
      this.take(() => {
        this.missed += Number(JSON.parse(String(event.data)).missed) || 0;
      }),
    );
  }

  private close(): void {
    clearTimeout(this.again);
    this.source?.close();
    this.source = undefined;
  }

  private take(keep: () => void): void {
    keep();
    this.drawing ??= setTimeout(() => {
      const [came, missed] = [this.waiting, this.missed];
      [this.waiting, this.missed, this.drawing] = [[], 0, undefined];
      this.change((now) => ({ ...now, ...added(now, came), missed: now.missed + missed }));
    }, DRAW_EVERY);
  }

  /** The browser does not say why: the session may have ended, or the daemon may be away. A plain request finds out. */
  private failed(): void {
    this.close();
    this.change((now) => ({ ...now, state: 'broken' }));
    this.again = setTimeout(() => {
      api.GET('/api/logs', { params: { query: { limit: 1 } } }).then(
        () => this.open(),
        () => this.failed(),
      );
    }, backoff(this.tries));
    this.tries += 1;
  }
}
