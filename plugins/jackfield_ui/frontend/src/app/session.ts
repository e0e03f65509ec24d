import { useSyncExternalStore } from 'react';
import { api, data, onUnauthorized } from '../api/client';
import { ApiError } from '../api/errors';
import { events } from '../api/socket';
import type { Schemas } from '../api/types';

/** A way to log in: with a name and a password, or at a provider to which the browser is sent. */
export type LoginMethod = Schemas['LoginChoice'];

/** What `/api/session` says. */
export type SessionInfo = Schemas['BrowserSessionView'];

export type Credentials =
  | Record<string, never>
  | { username: string; password: string; provider?: string }
  | { code: string }
  | { passkey: string }
  | { factor: string; answer: string };

/**
 * `starting`: not known yet; `in`: somebody is logged in; `out`: the login page;
 * `expired`: was logged in, the page stays below the login overlay.
 */
export type Phase = 'starting' | 'in' | 'out' | 'expired';

export interface SessionState {
  phase: Phase;
  info: SessionInfo | undefined;
  /** Why there is no session, where there is something to say. */
  problem: string | undefined;
}

const PATH = '/api/session';
const LOOK_EVERY = 60_000;

/** Between the browser's tabs: they share one cookie, so that who leaves leaves them all. */
const tabs = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('jackfield.session');

class Session {
  private state: SessionState = { phase: 'starting', info: undefined, problem: undefined };
  private readonly listeners = new Set<() => void>();
  private renewing: Promise<boolean> | undefined;
  private lookedAt = 0;
  /** After "Log out" nobody is logged in again without being asked. */
  private left = false;
  /** The last one who was logged in on this page. */
  private user: string | undefined;

  constructor() {
    tabs?.addEventListener('message', ({ data }) => void this.hear(data).catch(() => {}));
  }

  readonly now = (): SessionState => this.state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** At the first open: with the one-time code of the address if there is one. */
  async start(): Promise<void> {
    const code = takeCode();
    try {
      if (code) await this.logIn({ code });
      else await this.resume();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      // A daemon that is away comes back, and then this is done again.
      if (error instanceof ApiError && error.code === 'AWAY') this.set({ problem: message });
      else if (code) await this.resumeAfter(message);
      else this.set({ phase: 'out', problem: message });
    }
  }

  async logIn(credentials: Credentials): Promise<void> {
    this.enter(await data(api.POST(PATH, { body: credentials })));
  }

  /** After something else has begun the session, such as the setup of a second factor. */
  async arrive(): Promise<void> {
    this.enter(await read());
  }

  private enter(info: SessionInfo): void {
    this.left = false;
    if (info.authenticated) {
      this.set({ phase: 'in', info, problem: undefined });
      tabs?.postMessage('in');
    } else {
      // The second step of the login. Below it, the page keeps who was here.
      const { user = null, kind = null } = this.state.info ?? {};
      this.set({ info: { ...info, user, kind }, problem: undefined });
    }
  }

  /** To the provider; it sends the browser back to a page that begins the session. */
  async leaveFor(provider: string): Promise<void> {
    const { url } = await data(api.POST('/api/session/redirect', { body: { provider } }));
    location.assign(url);
  }

  async logOut(): Promise<void> {
    const { url } = await data(api.DELETE(PATH));
    tabs?.postMessage('out');
    // The provider's own session ends there; it sends the browser back.
    if (url) return location.assign(url);
    await this.leave();
  }

  /** One attempt for however many requests were refused at the same time. */
  readonly renew = (): Promise<boolean> => {
    this.renewing ??= this.tryAgain().finally(() => {
      this.renewing = undefined;
    });
    return this.renewing;
  };

  /**
   * What may have changed meanwhile, such as the role, or how many hosts there are. For a page that is being used: it
   * asks at most once a minute, and counts as use of the session.
   */
  readonly look = (): void => {
    if (this.state.phase === 'in' && Date.now() >= this.lookedAt + LOOK_EVERY) void this.renew();
  };

  private async tryAgain(): Promise<boolean> {
    if (this.state.phase !== 'in') return false;
    const before = this.state.info;
    try {
      // Who was logged in by name does not become the owner unasked.
      const info = before?.kind === 'user' ? await read() : await this.ask();
      if (!info.authenticated || info.method === 'owner') {
        // Who it was stays known: the page below keeps what that user may do, and what was typed.
        this.set({ phase: 'expired', info: { ...info, user: before?.user ?? null, kind: before?.kind ?? null } });
        return false;
      }
      this.set({ phase: 'in', info });
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) this.set({ phase: 'expired' });
      return false;
    }
  }

  /** What another tab has done with the session. */
  private async hear(what: unknown): Promise<void> {
    if (what === 'out') {
      if (this.state.phase !== 'out') await this.leave();
    } else if (this.state.phase !== 'starting') {
      const info = await read();
      if (!info.authenticated || info.method === 'owner') return;
      this.left = false;
      this.set({ phase: 'in', info, problem: undefined });
    }
  }

  private async leave(): Promise<void> {
    this.left = true;
    this.set({ phase: 'out', problem: undefined });
    this.set({ info: await read() });
  }

  private async resume(): Promise<void> {
    const info = await this.ask();
    this.set({ phase: info.authenticated && !info.login_needed ? 'in' : 'out', info, problem: undefined });
  }

  private async resumeAfter(problem: string): Promise<void> {
    try {
      await this.resume();
    } catch {
      // The code's own problem is the one to show.
    }
    if (this.state.phase !== 'in') this.set({ phase: 'out', problem });
  }

  /** The session there is, or the owner's: this browser may be the daemon's own user. */
  private async ask(): Promise<SessionInfo> {
    const info = await read();
    const usable = info.authenticated && info.method !== 'owner';
    if (usable || !info.owner_available || this.left) return info;
    return data(api.POST(PATH, { body: {} }));
  }

  /** Called before anything is shown to another user than the one before. */
  onAnotherUser: () => void = () => {};

  /** Called when somebody is here, before anything is drawn. */
  onEntry: () => void = () => {};

  private set(change: Partial<SessionState>): void {
    const before = this.state.phase;
    if (change.info) this.lookedAt = Date.now();
    this.state = { ...this.state, ...change };
    const user = this.state.phase === 'in' ? this.state.info?.user?.id : undefined;
    if (user !== undefined && user !== this.user) {
      if (this.user !== undefined) this.onAnotherUser();
      this.user = user;
    }
    if (change.phase === 'in' && before === 'starting') this.onEntry();
    events.allow(this.state.phase === 'in');
    for (const listener of [...this.listeners]) listener();
  }
}

function read(): Promise<SessionInfo> {
  return data(api.GET(PATH));
}

/** The code leaves the address before anything else can see it. */
function takeCode(): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (!code) return undefined;
  history.replaceState(history.state, '', location.pathname + location.search);
  return code;
}

export const session = new Session();
onUnauthorized(session.renew);
events.onRefused = () => void session.renew();

export function useSession(): SessionState {
  return useSyncExternalStore(session.subscribe, session.now);
}

/** Whether the user may do what needs a role; a viewer may only read. */
export function useMay(role: 'member' | 'admin'): boolean {
  const held = useSession().info?.user?.role;
  return held === 'admin' || (role === 'member' && held === 'member');
}

/** Whether the daemon answers about agents, profiles and terminals by this address. */
export function useReachesAgents(): boolean {
  return useSession().info?.agents ?? true;
}
