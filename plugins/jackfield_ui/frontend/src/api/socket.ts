import { backoff, connection } from './connection';
import { isRecord } from './errors';

export type Topic =
  | 'system'
  | 'profiles'
  | 'agents'
  | 'proxy'
  | 'registry'
  | 'usage'
  | 'terminal'
  | 'agent_sessions'
  | 'approvals'
  | 'workflows'
  | 'webhooks'
  | 'drafts';

export interface LiveEvent {
  type: string;
  timestamp: string;
  data: Record<string, unknown>;
}

export interface Subscriber {
  topic: Topic;
  onEvent: (event: LiveEvent) => void;
  /** Events were lost, by a slow page or a broken connection: read the state again. */
  onGap?: () => void;
}

const PING_EVERY = 25_000;
const PONG_WITHIN = 10_000;

/** The page's one connection to `/ws`: opened by the first subscriber, kept open by reconnecting, closed after the last. */
export class EventSocket {
  private readonly subscribers = new Set<Subscriber>();
  private socket: WebSocket | undefined;
  private allowed = false;
  private greeted = false;
  private tries = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private pinging: ReturnType<typeof setInterval> | undefined;
  private dead: ReturnType<typeof setTimeout> | undefined;

  /** The upgrade came to nothing: the daemon is away, or the session has ended. */
  onRefused: () => void = () => {};

  constructor(private readonly open: () => WebSocket) {
    connection.onReturn(() => this.connect());
  }

  /** Only with a session: before, the upgrade would be refused. */
  allow(allowed: boolean): void {
    this.allowed = allowed;
    if (allowed) this.connect();
    else this.drop();
  }

  add(subscriber: Subscriber): () => void {
    const fresh = ![...this.subscribers].some(({ topic }) => topic === subscriber.topic);
    this.subscribers.add(subscriber);
    if (fresh) this.tell('subscribe', [subscriber.topic]);
    this.connect();
    return () => {
      this.subscribers.delete(subscriber);
      const last = ![...this.subscribers].some(({ topic }) => topic === subscriber.topic);
      if (last) this.tell('unsubscribe', [subscriber.topic]);
      if (this.subscribers.size === 0) this.drop();
    };
  }

  private connect(): void {
    clearTimeout(this.timer);
    if (!this.allowed || this.subscribers.size === 0 || this.socket || connection.now() === 'away') return;
    const socket = this.open();
    this.socket = socket;
    this.greeted = false;
    socket.onopen = () => this.greet();
    socket.onmessage = (message) => this.take(String(message.data));
    socket.onclose = () => this.closed(socket);
  }

  private greet(): void {
    this.tries = 0;
    this.greeted = true;
    this.tell('subscribe', [...new Set([...this.subscribers].map(({ topic }) => topic))]);
    // There is no replay: whatever happened before this moment, since it was read, has to be read again.
    this.gap();
    this.pinging = setInterval(() => this.ping(), PING_EVERY);
  }

  private take(text: string): void {
    clearTimeout(this.dead);
    const frame: unknown = JSON.parse(text);
    if (!isRecord(frame)) return;
    if (frame.type === 'lagged') this.gap();
    if (frame.type !== 'event' || !isRecord(frame.event)) return;
    const event = frame.event as unknown as LiveEvent;
    for (const { topic, onEvent } of [...this.subscribers]) if (topic === frame.topic) onEvent(event);
  }

  private gap(): void {
    for (const { onGap } of [...this.subscribers]) onGap?.();
  }

  private ping(): void {
    this.socket?.send('{"type":"ping"}');
    clearTimeout(this.dead);
    this.dead = setTimeout(() => this.socket?.close(), PONG_WITHIN);
  }

  private closed(socket: WebSocket): void {
    if (this.socket !== socket) return;
    this.forget();
    if (!this.greeted) this.onRefused();
    // The probe tells a daemon that is away from one that only ended this connection.
    void connection.probe();
    this.timer = setTimeout(() => this.connect(), backoff(this.tries));
    this.tries += 1;
  }

  private drop(): void {
    const socket = this.socket;
    this.forget();
    socket?.close();
  }

  private forget(): void {
    clearTimeout(this.timer);
    clearTimeout(this.dead);
    clearInterval(this.pinging);
    this.socket = undefined;
  }

  private tell(type: 'subscribe' | 'unsubscribe', topics: Topic[]): void {
    if (this.socket?.readyState === WebSocket.OPEN && topics.length) this.socket.send(JSON.stringify({ type, topics }));
  }
}

/** An address on this origin for a WebSocket. */
export function socketUrl(path: string): string {
  const url = new URL(path, location.origin);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return url.href;
}

export const events = new EventSocket(() => new WebSocket(socketUrl('/ws')));
