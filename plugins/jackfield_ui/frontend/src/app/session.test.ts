// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { session } from './session';

const HERE = {
  authenticated: true,
  method: 'session',
  kind: 'user',
  user: { id: '1', role: 'admin' },
  login_needed: false,
};
let hosts = 1;
let reads = 0;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('fetch', async () => {
    reads += 1;
    return Response.json({ success: true, data: { ...HERE, hosts } });
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('is read again as it is used, now and then', async () => {
  session.look();
  expect(reads).toBe(0);
  await session.start();
  hosts = 2;
  session.look();
  expect(reads).toBe(1);
  vi.advanceTimersByTime(60_000);
  session.look();
  session.look();
  await vi.waitFor(() => expect(session.now().info?.hosts).toBe(2));
  session.look();
  expect(reads).toBe(2);
});
