import { useSyncExternalStore } from 'react';

/** Whether the daemon is reached, and when it was lost. */
export type Connection = 'reached' | 'away';

type Listener = () => void;

const PROBE = '/health';
const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 15_000;

/** The next wait after `tries` failures: doubling up to a limit, and spread, so that many pages don't come back at once. */
export function backoff(tries: number, random: () => number = Math.random): number {
  const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** Math.min(tries, 10));
  return wait / 2 + (wait / 2) * random();
}

class DaemonConnection {
  private state: Connection = 'reached';
  private readonly listeners = new Set<Listener>();
  private readonly returns = new Set<Listener>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private tries = 0;

  readonly now = (): Connection => this.state;

  readonly subscribe = (listener: Listener): Listener => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Called whenever the daemon is back after it was away. */
  onReturn(listener: Listener): Listener {
    this.returns.add(listener);
    return () => this.returns.delete(listener);
  }

  reached(): void {
    if (this.state === 'reached') return;
    clearTimeout(this.timer);
    this.tries = 0;
    this.change('reached');
    for (const listener of [...this.returns]) listener();
  }

  lost(): void {
    if (this.state === 'away') return;
    this.change('away');
    this.later();
  }

  /** Ask whether it is there: at once when somebody says "try again", or when a socket was closed. */
  readonly probe = async (): Promise<void> => {
    clearTimeout(this.timer);
    try {
      const answer = await fetch(PROBE, { cache: 'no-store', signal: AbortSignal.timeout(5_000) });
      if (answer.ok) {
        this.reached();
        return;
      }
    } catch {
      // Not there; said below.
    }
    this.lost();
    this.later();
  };

  private later(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(this.probe, backoff(this.tries));
    this.tries += 1;
  }

  private change(state: Connection): void {
    this.state = state;
    for (const listener of [...this.listeners]) listener();
  }
}

export const connection = new DaemonConnection();

export function useConnection(): Connection {
  return useSyncExternalStore(connection.subscribe, connection.now);
}
