// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { LiveEvent } from '../../../api/socket';
import { useLive } from './useLive';

let tell: (event: LiveEvent) => void = () => {};
vi.mock('../../../api/useEvents', () => ({
  useEvents: (_: string, onEvent: typeof tell) => {
    tell = onEvent;
  },
}));
vi.mock('../queries', () => ({ useLastExecution: () => ({ data: null }) }));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

function listening() {
  const client = new QueryClient();
  const { result } = renderHook(() => useLive('w1'), {
    wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  });
  act(() => result.current.listen(true));
  return result;
}

const started = (id: string) =>
  act(() => tell({ type: 'execution.started', timestamp: '', data: { id, workflowId: 'w1', mode: 'test' } }));
const pass = (ms: number) => act(() => void vi.advanceTimersByTime(ms));

it('follows a run whose events come after its answer', () => {
  const live = listening();
  act(() => live.current.settle());
  pass(1_500);
  started('e1');
  expect(live.current).toMatchObject({ id: 'e1', listening: false });
});

it('does not listen for ever to what has its answer', () => {
  const live = listening();
  act(() => live.current.settle());
  pass(10_000);
  expect(live.current.listening).toBe(false);
  started('e1');
  expect(live.current.id).toBeUndefined();
});

it('listens anew, whatever was before', () => {
  const live = listening();
  act(() => live.current.settle());
  act(() => live.current.listen(true));
  pass(10_000);
  expect(live.current.listening).toBe(true);
});
