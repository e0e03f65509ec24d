import { backoff, connection } from '../../api/connection';
import { isRecord } from '../../api/errors';
import { t } from '../../language/messages';
import type { Size } from './screen';

/**
 * `connecting`; `live`; `away`: reconnects by itself; `ended`: the agent has ended; `gone`: there is no such session;
 * `full`: too many clients; `refused`: this link or caller may not.
 */
export type Phase = 'connecting' | 'live' | 'away' | 'ended' | 'gone' | 'full' | 'refused';

export interface LinkState {
  phase: Phase;
  exitCode?: number | undefined;
  /** Why it has ended, where that was not the program's doing. */
  reason?: string | undefined;
  /** What the daemon has said last that is worth showing. */
  note?: string | undefined;
  /** Bytes that this client was too slow for, so far. */
  missed: number;
}

export interface Output {
  /** Everything anew: what comes next is the whole of what is kept. */
  begin(): void;
  size(size: Size): void;
  /** `replayed`: the program has printed it before. `done` once it is worked off. */
  write(data: Uint8Array, replayed: boolean, done: () => void): void;
}

/** Output that may be on its way or waiting to be drawn, in bytes: the daemon sends no more, and resynchronises. */
export const WINDOW = 512 * 1024;
const TELL = 64 * 1024;
/** Far below `terminal.input_limit`. */
const FRAME = 64 * 1024;
const LASTING = new Set<Phase>(['ended', 'gone', 'full', 'refused']);

const CLOSED: Record<number, Phase> = { 4403: 'refused', 4404: 'gone', 4409: 'full' };

/** The connection to one session, made again when it is lost. */
export class Link {
  private state: LinkState = { phase: 'connecting', missed: 0 };
  private readonly listeners = new Set<() => void>();
  private readonly forget: () => void;
  private socket: WebSocket | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private tries = 0;
  private wish: Size | undefined;
  private over = false;
  private wasLive = false;

  /**
   * address: of the socket; first: what is sent first; recover: is asked after a connection was lost, and tells what to
   * do when trying again would be in vain.
   */
  constructor(
    private readonly address: string,
    private readonly output: Output,
    private readonly options: { first?: string; recover: (code: number) => Promise<Phase | 'again'> },
  ) {
    this.forget = connection.onReturn(() => this.connect());
    this.connect();
  }

  readonly now = (): LinkState => this.state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  type(data: Uint8Array<ArrayBuffer>): void {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    for (let at = 0; at < data.length; at += FRAME) this.socket.send(data.slice(at, at + FRAME));
  }

  resize(size: Size): void {
    if (this.wish?.cols === size.cols && this.wish.rows === size.rows) return;
    this.wish = size;
    this.tell({ type: 'resize', ...size });
  }

  signal(signal: number): void {
    this.tell({ type: 'signal', signal });
  }

  readonly again = (): void => {
    this.set({ phase: 'connecting' });
    this.connect();
  };

  close(): void {
    this.over = true;
    this.forget();
    clearTimeout(this.timer);
    const { socket } = this;
    this.socket = undefined;
    socket?.close();
    this.listeners.clear();
  }

  private connect(): void {
    clearTimeout(this.timer);
    if (this.socket || LASTING.has(this.state.phase)) return;
    const socket = new WebSocket(this.address);
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    socket.onopen = () => {
      if (this.options.first) socket.send(this.options.first);
      if (this.wish) this.tell({ type: 'resize', ...this.wish });
    };
    let replayed = false;
    let taken = 0;
    let waiting = 0;
    socket.onmessage = ({ data }: MessageEvent<ArrayBuffer | string>) => {
      if (socket !== this.socket) return;
      if (typeof data === 'string') {
        replayed = this.obey(data) || replayed;
        return;
      }
      waiting += data.byteLength;
      this.output.write(new Uint8Array(data), replayed, () => {
        waiting -= data.byteLength;
        taken += data.byteLength;
        if (taken < TELL && waiting > 0) return;
        if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type: 'taken', bytes: taken }));
        taken = 0;
      });
      replayed = false;
    };
    socket.onclose = ({ code }) => void this.closed(socket, code);
  }

  /** True when what comes next has been printed before. */
  private obey(text: string): boolean {
    const message: unknown = JSON.parse(text);
    if (!isRecord(message)) return false;
    switch (message.type) {
      case 'connected':
        this.tries = 0;
        this.wasLive = true;
        this.output.begin();
        this.set({ phase: 'live', note: undefined });
        return true;
      case 'size':
        this.output.size({ cols: Number(message.cols), rows: Number(message.rows) });
        return false;
      case 'resync':
        this.set({ missed: this.state.missed + Number(message.missed) });
        return true;
      case 'state_changed':
        this.set({
          phase: 'ended',
          exitCode: Number(message.exit_code ?? 0),
          reason: typeof message.reason === 'string' ? message.reason : undefined,
        });
        return false;
      case 'error':
        this.set({ note: String(message.message) });
        return false;
      default:
        return false;
    }
  }

  private async closed(socket: WebSocket, code: number): Promise<void> {
    if (this.socket !== socket) return;
    this.socket = undefined;
    if (this.state.phase === 'ended') return;
    const known = CLOSED[code];
    if (known) {
      this.set({ phase: known });
      return;
    }
    const wasLive = this.wasLive;
    this.set({ phase: 'away' });
    await connection.probe();
    const next = connection.now() === 'away' ? 'again' : await this.options.recover(code);
    if (this.over || this.socket) return;
    if (next !== 'again') {
      // It was there before, and whoever has cleaned it up would have told its end.
      this.set({
        phase: next,
        reason: next === 'gone' && wasLive ? t('It ended with the daemon, which was stopped.') : undefined,
      });
      return;
    }
    this.timer = setTimeout(() => this.connect(), backoff(this.tries) / 2);
    this.tries += 1;
  }

  private tell(message: object): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  private set(change: Partial<LinkState>): void {
    this.state = { ...this.state, ...change };
    for (const listener of [...this.listeners]) listener();
  }
}
