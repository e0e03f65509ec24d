import { useSyncExternalStore } from 'react';
import { onUnauthorized, request } from '../api/client';
import { ApiError } from '../api/errors';
import { events } from '../api/socket';

/** What `/api/session` says. */
export interface SessionInfo {
  authenticated: boolean;
  method: 'session' | 'owner' | 'jwt' | 'api_key' | 'basic' | null;
  user: { id: string; username: string; role: 'viewer' | 'member' | 'admin' } | null;
  kind: 'owner' | 'user' | null;
  created_at: string | null;
  expires_at: string | null;
  idle_expires_at: string | null;
  owner_available: boolean;
  login_needed: boolean;
  version: string;
}

export type Credentials = Record<string, never> | { username: string; password: string } | { code: string };

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

class Session {
  private state: SessionState = { phase: 'starting', info: undefined, problem: undefined };
  private readonly listeners = new Set<() => void>();
  private renewing: Promise<boolean> | undefined;
  /** After "Log out" nobody is logged in again without being asked. */
  private left = false;

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
    const info = await request<SessionInfo>('POST', PATH, { json: credentials });
    this.left = false;
    this.set({ phase: 'in', info, problem: undefined });
  }

  async logOut(): Promise<void> {
    await request('DELETE', PATH);
    this.left = true;
    const info = await request<SessionInfo>('GET', PATH);
    this.set({ phase: 'out', info, problem: undefined });
  }

  /** One attempt for however many requests were refused at the same time. */
  readonly renew = (): Promise<boolean> => {
    this.renewing ??= this.tryAgain().finally(() => {
      this.renewing = undefined;
    });
    return this.renewing;
  };

  private async tryAgain(): Promise<boolean> {
    if (this.state.phase !== 'in') return false;
    try {
      const info = await this.ask();
      if (info.login_needed || !info.authenticated) {
        this.set({ phase: 'expired', info });
        return false;
      }
      this.set({ phase: 'in', info });
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) this.set({ phase: 'expired' });
      return false;
    }
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
    const info = await request<SessionInfo>('GET', PATH);
    const usable = info.authenticated && info.method !== 'owner';
    if (usable || !info.owner_available || this.left) return info;
    return request<SessionInfo>('POST', PATH, { json: {} });
  }

  private set(change: Partial<SessionState>): void {
    this.state = { ...this.state, ...change };
    events.allow(this.state.phase === 'in');
    for (const listener of [...this.listeners]) listener();
  }
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

export function useSession(): SessionState {
  return useSyncExternalStore(session.subscribe, session.now);
}

/** Whether the user may do what needs a role; a viewer may only read. */
export function useMay(role: 'member' | 'admin'): boolean {
  const held = useSession().info?.user?.role;
  return held === 'admin' || (role === 'member' && held === 'member');
}
