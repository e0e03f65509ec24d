// @vitest-environment happy-dom
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useContext } from 'react';
import { afterEach, expect, it, vi } from 'vitest';
import { PanelContext } from './context';
import { TriggerStanding } from './TriggerStanding';

const commit = vi.hoisted(() => vi.fn());
vi.mock('../model/store', () => ({ useEditor: () => 'w1', useStore: () => ({ commit }) }));
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function Editable({ children }: { children: React.ReactNode }) {
  return <PanelContext value={{ ...useContext(PanelContext), editable: true }}>{children}</PanelContext>;
}

function show(row: object) {
  vi.stubGlobal('fetch', async (request: Request) =>
    Response.json(request.method === 'GET' ? { data: [row] } : { items: [{ json: { n: 1 } }] }),
  );
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={new QueryClient()}>
        <Editable>
          <TriggerStanding node={{ name: 'Gmail', type: 'n8n-nodes-base.gmailTrigger' } as never} />
        </Editable>
      </QueryClientProvider>
    </MantineProvider>,
  );
}

it('shows since when a connection is open, and when a lost one is opened again', async () => {
  const row = { node: 'Gmail', kind: 'listen', state: 'connected', events: 7, lastEvent: null, next: null };
  show({ ...row, connected: new Date().toISOString() });
  await screen.findByText(/Connected since/);
  await screen.findByText(/listens for a minute/);
  cleanup();
  show({ ...row, state: 'failing', next: new Date(Date.now() + 60_000).toISOString() });
  await screen.findByText(/Connects again/);
});

it('shows the last error, and pins the test event', async () => {
  const lastError = { message: 'The service is down.', at: null };
  const row = { node: 'Gmail', kind: 'poll', state: 'failing', events: 7, lastEvent: null, lastError };
  show(row);
  await screen.findByText('The service is down.');
  await userEvent.setup({ delay: null }).click(screen.getByRole('button', { name: 'Fetch test event' }));
  await waitFor(() => expect(commit).toHaveBeenCalledOnce());
  expect(commit.mock.calls[0]?.[0]({ nodes: [] })).toMatchObject({ pinData: { Gmail: [{ json: { n: 1 } }] } });
});
